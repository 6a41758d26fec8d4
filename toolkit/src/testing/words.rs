//! Texts as the words that they are made of.

/// The stems of the words of a text: letters and digits of any script, in lower case, `camelCase` and
/// `snake_case` taken apart. Where a script doesn't part its words, each two characters beside each other
/// stand for one.
pub(super) fn words(text: &str, give: &mut dyn FnMut(String)) {
    let mut word = String::new();
    let mut before = None;
    for c in text.chars() {
        let starts = before.is_some_and(|before: char| {
            (c.is_uppercase() && (before.is_lowercase() || before.is_numeric()))
                || is_dense(before) != is_dense(c)
        });
        if (!c.is_alphanumeric() || starts) && !word.is_empty() {
            end(std::mem::take(&mut word), give);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !word.is_empty() {
        end(word, give);
    }
}

fn end(word: String, give: &mut dyn FnMut(String)) {
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < 2 || !is_dense(letters[0]) {
        return give(stem(word));
    }
    letters.windows(2).for_each(|two| give(two.iter().collect()));
}

/// Whether a character is of a script that doesn't part its words, or not as finely as one looks for
/// them: kana, Han, Hangul, Thai.
fn is_dense(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{e7f}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{323af}'
    )
}

/// Whether most letters of a text are those of English, so that rules that look for English words may
/// judge it.
pub(super) fn is_latin(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    2 * letters().filter(char::is_ascii).count() >= letters().count()
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

    #[test]
    fn what_isnt_parted_by_spaces_is_taken_two_by_two() {
        assert_eq!(all("知识库，票"), ["知识", "识库", "票"]);
        assert_eq!(all("PDFを読む2回"), ["pdf", "を読", "読む", "2", "回"]);
        assert!(is_latin("Größe in cm") && is_latin("") && !is_latin("キーワード e.g."));
    }
}
