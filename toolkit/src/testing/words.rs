//! Texts as the words that they are made of.

/// The stems of the words of a text: letters and digits of any script, in lower case, `camelCase` and
/// `snake_case` taken apart.
pub(super) fn words(text: &str, give: &mut dyn FnMut(String)) {
    let mut word = String::new();
    let mut before = None;
    for c in text.chars() {
        let starts = c.is_uppercase()
            && before.is_some_and(|before: char| before.is_lowercase() || before.is_numeric());
        if (!c.is_alphanumeric() || starts) && !word.is_empty() {
            give(stem(std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !word.is_empty() {
        give(stem(word));
    }
}

/// The word without the commonest endings of English; a word of another language mostly stays whole.
fn stem(mut word: String) -> String {
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.len() > 3 && ["ses", "xes", "zes", "hes"].iter().any(|es| word.ends_with(es)) {
        word.truncate(word.len() - 2);
    } else if word.len() > 3
        && word.ends_with('s')
        && !["ss", "us"].iter().any(|end| word.ends_with(end))
    {
        word.pop();
    }
    for ending in ["ation", "ing", "ed", "or", "er", "ion", "e"] {
        if word.len() >= ending.len() + 4 && word.ends_with(ending) {
            word.truncate(word.len() - ending.len());
            break;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, &mut |word| found.push(word));
        found
    }

    #[test]
    fn words_are_taken_apart_and_lose_their_endings() {
        assert_eq!(all("kb.search_articles"), ["kb", "search", "articl"]);
        assert_eq!(all("getHTTPUrl2Path"), ["get", "httpurl2", "path"]);
        assert_eq!(all("Cities, city’s queries"), ["city", "city", "s", "query"]);
        assert_eq!(all("calculating calculation calculates"), ["calculat", "calcul", "calculat"]);
        assert_eq!(all("boxes class status bus"), ["box", "class", "status", "bus"]);
        assert_eq!(all("Übersicht 東京 é"), ["übersicht", "東京", "é"]);
        assert!(all(" -- \u{1f600}").is_empty());
    }
}
