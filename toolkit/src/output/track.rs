//! Watches a list go by, in pieces that may end anywhere: where its elements begin.

use super::spill::List;
use crate::json::plain;

/// Of how many of the last elements it is kept where they begin: a list that is cut shows no more of
/// its end.
const LAST: usize = 4_096;

/// Finds where the elements of a list begin.
#[derive(Debug, Default)]
pub(super) struct Borders {
    at: u64,
    is_list: bool,
    depth: usize,
    quoted: bool,
    escaped: bool,
    list: List,
}

impl Borders {
    /// Looks at the next piece.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        if self.at == 0 {
            self.is_list = bytes.first() == Some(&b'[');
        }
        let mut i = 0;
        while let Some(byte) = bytes.get(i) {
            if self.quoted && !self.escaped {
                // Most of a text is plain.
                match plain(&bytes[i..]) {
                    0 => {}
                    more => {
                        i += more;
                        continue;
                    }
                }
            }
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.quoted => self.escaped = true,
                b'"' => self.quoted = !self.quoted,
                _ if self.quoted => {}
                b'[' | b'{' => {
                    self.depth += 1;
                    if self.depth == 1 {
                        self.begins(self.at + i as u64 + 1);
                    }
                }
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b',' if self.depth == 1 => self.begins(self.at + i as u64 + 1),
                _ => {}
            }
            i += 1;
        }
        self.at += bytes.len() as u64;
    }

    fn begins(&mut self, at: u64) {
        if !self.is_list {
            return;
        }
        self.list.elements += 1;
        if self.list.last.len() == LAST {
            self.list.last.pop_front();
        }
        self.list.last.push_back(at);
    }

    pub(super) fn list(self) -> Option<List> {
        self.is_list.then_some(self.list)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_element_begins_where_it_is_kept(
            texts in prop::collection::vec("[\\[\\]{},\"\\\\a]{0,9}", 1..40),
            piece in 1_usize..20,
        ) {
            let nested: Vec<_> =
                texts.iter().map(|text| serde_json::json!({text.as_str(): [text, [], {}]})).collect();
            let json = serde_json::to_string(&nested).unwrap();
            let mut borders = Borders::default();
            json.as_bytes().chunks(piece).for_each(|piece| borders.pass(piece));
            let list = borders.list().unwrap();
            prop_assert_eq!(list.elements, nested.len() as u64);
            let ends = list.last.iter().skip(1).map(|at| *at as usize - 1).chain([json.len() - 1]);
            for ((start, end), element) in list.last.iter().zip(ends).zip(&nested) {
                prop_assert_eq!(&json[*start as usize..end], element.to_string());
            }
        }
    }
}
