//! Which characters are not what they look like on a screen.

/// Whether a character moves the cursor, ends a line or changes the direction of what stands around it: controls (C0,
/// C1, DEL), line and paragraph separators, bidirectional marks, embeddings, overrides and isolates.
pub fn moves(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(
        c,
        '\u{80}'..='\u{9F}' | '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{206F}'
    )
}

/// Whether a character moves ([`moves`]) or cannot be seen at all: zero width, fillers, joiners, variation selectors,
/// byte-order marks, annotations, tags. A text can be hidden in them from whoever reads a screen, and not from a
/// program or a language model.
pub fn is_hidden(c: char) -> bool {
    moves(c)
        || (!c.is_ascii()
            && matches!(
                c,
                '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
                    | '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
                    | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{13430}'..='\u{1345F}'
                    | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
            ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_and_what_hides_is_known() {
        for c in
            ['\0', '\x07', '\t', '\n', '\r', '\x1b', '\x7f', '\u{85}', '\u{9b}', '\u{202e}', '\u{2067}', '\u{2028}']
        {
            assert!(moves(c) && is_hidden(c), "{c:?}");
        }
        for c in
            ['\u{ad}', '\u{200b}', '\u{200d}', '\u{2060}', '\u{3164}', '\u{fe0f}', '\u{feff}', '\u{e0041}', '\u{e01ef}']
        {
            assert!(!moves(c) && is_hidden(c), "{c:?}");
        }
        for c in [' ', 'a', '~', '\u{a0}', 'ß', 'é', '…', '中', 'ش', 'א', '\u{301}', '😀', '�'] {
            assert!(!is_hidden(c), "{c:?}");
        }
    }
}
