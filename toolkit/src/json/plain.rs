//! Finds where a string stops being plain text, eight bytes at a time.

/// The high bits of the bytes that are a quote, a backslash or a control character. Those above the
/// lowest may be wrong; it is right, and none is set if there is none.
#[inline]
pub(super) fn special(chunk: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let word = u64::from_le_bytes(chunk);
    let quote = word ^ (ONES * b'"' as u64);
    let slash = word ^ (ONES * b'\\' as u64);
    // A subtraction sets a byte's high bit where the byte is too small, or where a lower one was.
    let hits = (word.wrapping_sub(ONES * 0x20) & !word)
        | (quote.wrapping_sub(ONES) & !quote)
        | (slash.wrapping_sub(ONES) & !slash);
    hits & HIGH
}

/// How many bytes a string goes on without a quote, a backslash or a control character.
#[inline]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        match special(*chunk) {
            0 => at += 8,
            hits => return at + (hits.trailing_zeros() / 8) as usize,
        }
    }
    while let Some(b) = bytes.get(at) {
        if matches!(b, b'"' | b'\\' | 0..0x20) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn plain_finds_the_first_that_is_not() {
        for special in [0x00, 0x1f, b'"', b'\\', 0x20, 0x21, 0x7f, 0x80, 0xff] {
            for len in 0..20 {
                for at in 0..len {
                    let mut bytes = vec![b'a'; len];
                    bytes[at] = special;
                    let odd = special < 0x20 || special == b'"' || special == b'\\';
                    assert_eq!(plain(&bytes), if odd { at } else { len });
                    // A neighbour that the subtraction borrows from changes nothing.
                    if at + 1 < len {
                        bytes[at + 1] = special ^ 1;
                        let first = bytes.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20));
                        assert_eq!(plain(&bytes), first.unwrap_or(len));
                    }
                }
            }
        }
    }
}
