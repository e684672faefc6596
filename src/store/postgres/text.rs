//! Texts as PostgreSQL can hold them, which takes all but U+0000.
//!
//! U+0000 is written as U+0001 and `0`, U+0001 as U+0001 and `1`. Texts keep their order, byte by byte, and almost all
//! of them stay as they are.

use std::borrow::Cow;

/// Sets the marks.
pub(super) fn marked(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', '\u{1}']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\u{1}', "\u{1}1").replace('\0', "\u{1}0"))
}

/// Takes them away again.
pub(super) fn unmarked(text: String) -> String {
    if !text.contains('\u{1}') {
        return text;
    }
    text.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_come_back_and_keep_their_order(one in "[\0\u{1}\u{2}01a]{0,8}", other in "[\0\u{1}\u{2}01a]{0,8}") {
            let (first, second) = (marked(&one).into_owned(), marked(&other).into_owned());
            prop_assert!(!first.contains('\0'));
            prop_assert_eq!(first.as_bytes().cmp(second.as_bytes()), one.as_bytes().cmp(other.as_bytes()));
            prop_assert_eq!(unmarked(first), one);
        }
    }
}
