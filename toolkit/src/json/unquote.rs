//! What a JSON string says, read in pieces that may end anywhere.

use super::plain::plain;

/// Takes the content out of a JSON string.
#[derive(Debug, Default)]
pub(crate) struct Unquote {
    state: State,
    /// The first half of a character that is written as two escapes.
    half: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Before the string, or after it.
    #[default]
    Outside,
    Inside,
    Escape,
    /// So many digits are still to come, after those of this value.
    Hex(u8, u32),
}

impl Unquote {
    /// For what stands within the quotes.
    pub(crate) fn inside() -> Self {
        Self { state: State::Inside, half: None }
    }

    /// The content of the next piece.
    pub(crate) fn content(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut content = Vec::with_capacity(bytes.len());
        let mut i = 0;
        while let Some(byte) = bytes.get(i).copied() {
            i += 1;
            self.state = match self.state {
                State::Outside if byte == b'"' => State::Inside,
                State::Outside => State::Outside,
                State::Inside if byte == b'\\' => State::Escape,
                State::Inside => {
                    self.lone(&mut content);
                    if byte == b'"' {
                        State::Outside
                    } else {
                        let end = i + plain(&bytes[i..]);
                        content.extend_from_slice(&bytes[i - 1..end]);
                        i = end;
                        State::Inside
                    }
                }
                State::Escape if byte == b'u' => State::Hex(4, 0),
                State::Escape => {
                    self.lone(&mut content);
                    content.push(match byte {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'b' => b'\x08',
                        b'f' => b'\x0c',
                        itself => itself,
                    });
                    State::Inside
                }
                State::Hex(left, value) => {
                    let digit = char::from(byte).to_digit(16).unwrap_or_default();
                    let value = value * 16 + digit;
                    if left > 1 {
                        State::Hex(left - 1, value)
                    } else {
                        self.unit(value, &mut content);
                        State::Inside
                    }
                }
            };
        }
        content
    }

    /// One unit of UTF-16.
    fn unit(&mut self, unit: u32, content: &mut Vec<u8>) {
        if let (Some(high), 0xDC00..0xE000) = (self.half, unit) {
            self.half = None;
            push(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00), content);
            return;
        }
        self.lone(content);
        match unit {
            0xD800..0xDC00 => self.half = Some(unit),
            unit => push(unit, content),
        }
    }

    /// A half without its other half says nothing.
    fn lone(&mut self, content: &mut Vec<u8>) {
        if let Some(half) = self.half.take() {
            push(half, content);
        }
    }
}

fn push(code: u32, content: &mut Vec<u8>) {
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    content.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn content(json: &str, piece: usize) -> String {
        let mut unquote = Unquote::default();
        let pieces = json.as_bytes().chunks(piece);
        let content = pieces.flat_map(|piece| unquote.content(piece)).collect();
        String::from_utf8(content).unwrap()
    }

    #[test]
    fn odd_escapes_are_read_as_they_are_meant() {
        for piece in 1..12 {
            let odd = r#""\u00e9\/\ud83d\ude00\b\f\n\r\t\"\\ é😀\u0000""#;
            assert_eq!(content(odd, piece), serde_json::from_str::<String>(odd).unwrap());
            assert_eq!(content(r#""\ud83dx\ude00\ud83d\n""#, piece), "\u{fffd}x\u{fffd}\u{fffd}\n");
        }
    }

    proptest! {
        #[test]
        fn a_string_has_its_content(text in ".{0,80}", piece in 1_usize..20) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(content(&json, piece), text);
        }
    }
}
