//! Paths into the arguments of a call, as a rule writes them: `query`, `filters[*].op`, `to[0]`.

use crate::schema::Stride;

/// Reads a path: keys joined by dots, `[*]` for every element, `[0]` for one, `*` for every member,
/// `["a.b"]` for a key of any letters.
///
/// # Errors
/// What is wrong with it; whoever wrote the rule mends it.
pub(super) fn read(path: &str) -> Result<Vec<Stride>, String> {
    let mut strides = Vec::new();
    let mut rest = path;
    while !rest.is_empty() || strides.is_empty() {
        if let Some(after) = rest.strip_prefix('[') {
            let (stride, after) = bracket(after).ok_or_else(|| {
                format!("`{path}` is no path: in brackets stands `*`, a place or a key in quotes")
            })?;
            strides.push(stride);
            rest = after;
            continue;
        }
        let key = if strides.is_empty() { Some(rest) } else { rest.strip_prefix('.') };
        let key = key.ok_or_else(|| format!("`{path}` is no path: a key comes after a dot"))?;
        let (key, after) = key.split_at(key.find(['.', '[', ']']).unwrap_or(key.len()));
        strides.push(match key {
            "" => return Err(format!("`{path}` is no path: a key is missing")),
            "*" => Stride::AnyKey,
            _ => Stride::Key(key.into()),
        });
        rest = after;
    }
    if matches!(strides[0], Stride::Index(_) | Stride::Each) {
        return Err(format!("`{path}` is no path: the arguments are an object, not a list"));
    }
    Ok(strides)
}

/// What stands in brackets, and what comes after them.
fn bracket(text: &str) -> Option<(Stride, &str)> {
    if text.starts_with('"') {
        let mut keys = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let key = keys.next()?.ok()?;
        let after = text[keys.byte_offset()..].strip_prefix(']')?;
        return Some((Stride::Key(key.into()), after));
    }
    let (inside, after) = text.split_once(']')?;
    let stride = match inside {
        "*" => Stride::Each,
        _ if inside.bytes().all(|b| b.is_ascii_digit()) => Stride::Index(inside.parse().ok()?),
        _ => return None,
    };
    Some((stride, after))
}

/// The start of a path as it is written, up to and with this step.
pub(super) fn written(strides: &[Stride], step: usize) -> String {
    let mut text = String::new();
    for stride in strides.iter().take(step + 1) {
        match stride {
            Stride::Key(key) => crate::json::Step::Key((&**key).into()).push_to(&mut text),
            Stride::Index(place) => crate::json::Step::Index(*place).push_to(&mut text),
            Stride::AnyKey if text.is_empty() => text.push('*'),
            Stride::AnyKey => text.push_str(".*"),
            Stride::Each => text.push_str("[*]"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_written() {
        for path in ["query", "filters[*].op", "to[0].name", "headers.*", "*.x", "a[*][2]", "ä"] {
            let strides = read(path).unwrap();
            assert_eq!(written(&strides, strides.len()), path);
        }
        let odd = [Stride::Key("a.b".into()), Stride::Key("c]\"".into()), Stride::Each];
        assert_eq!(read(r#"["a.b"]["c]\""][*]"#).unwrap(), odd);
        assert_eq!(read(&written(&odd, 3)).unwrap(), odd);
        assert_eq!(read(r#"["*"]"#).unwrap(), [Stride::Key("*".into())]);
    }

    #[test]
    fn what_is_no_path_says_why() {
        for path in
            ["", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[-1]", "a]", "[*]", "[0]", "a[*]b"]
        {
            assert!(read(path).unwrap_err().starts_with(&format!("`{path}` is no path")), "{path}");
        }
    }
}
