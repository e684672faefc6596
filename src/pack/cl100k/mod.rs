//! Counts tokens of `cl100k_base` (OpenAI's encoding of GPT-3.5 and GPT-4), as tiktoken-rs does, which carries its
//! table.
//!
//! Reading that table takes a new process 65 ms, longer than all else that a frame needs. So it is kept in a file that
//! is mapped. A text is cut into pieces (`split`). A piece is a token, or its bytes are merged to tokens (`merge`) by
//! the ranks of the table (`table`).

mod merge;
mod split;
mod table;

use crate::text::CountTokens;
use merge::merged;
use split::pieces;
use std::path::Path;
use std::sync::OnceLock;
use table::Table;

static TABLE: OnceLock<Table> = OnceLock::new();

/// What counts tokens of `cl100k_base`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cl100k(&'static Table);

impl Cl100k {
    /// With the table that a process reads or makes once. `kept` is the file that holds it from then on; without one,
    /// or where it cannot be written, it is made in memory.
    pub fn open(kept: Option<&Path>) -> Self {
        Self(TABLE.get_or_init(|| Table::open_or_make(kept)))
    }
}

impl CountTokens for Cl100k {
    fn name(&self) -> &str {
        "cl100k"
    }

    fn count(&self, text: &str) -> usize {
        let rank = |bytes: &[u8]| self.0.rank(bytes);
        pieces(text)
            .map(|piece| if rank(piece.as_bytes()).is_some() { 1 } else { merged(piece.as_bytes(), rank) })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiktoken_rs::cl100k_base_singleton;

    fn same(text: &str) -> Result<(), TestCaseError> {
        prop_assert_eq!(Cl100k::open(None).count(text), cl100k_base_singleton().count_ordinary(text), "{:?}", text);
        Ok(())
    }

    #[test]
    fn whole_files_are_counted_as_the_reference_counts_them() {
        for text in [include_str!("mod.rs"), include_str!("../../../README.md"), include_str!("../../../docs/users.md")]
        {
            same(text).unwrap();
        }
        for text in [
            "",
            " ",
            "\n",
            " \n ",
            "a\u{300}",
            "'S'LL'x",
            "'\u{17f}",
            "日本語のテキスト",
            "١٢٣٤",
            "🙂🙂\u{200d}🙂",
            "\r\n\r\n  x",
        ] {
            same(text).unwrap();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn any_text_is_counted_as_the_reference_counts_it(text in any::<String>()) {
            same(&text)?;
        }

        #[test]
        fn pieces_of_prose_and_code_too(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..24),
        ) {
            same(&parts.concat())?;
        }
    }

    const PARTS: &[&str] = &[
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\u{a0}",
        "\u{3000}",
        "'",
        "'s",
        "'LL",
        "'re",
        "\u{17f}",
        "the",
        "Retry",
        "ß",
        "é",
        "e\u{301}",
        "1",
        "23",
        "4567",
        "½",
        "Ⅷ",
        "²",
        "_",
        "::",
        "->",
        "(",
        "###",
        "<|endoftext|>",
        "naïve",
        "antidisestablishment",
        "aaaaaaaaaaaa",
        "日本",
        "🙂",
        "\u{0}",
        "\u{200b}",
        "x\u{fe0f}",
        "\\n",
        "{\"a\":",
        "//",
        "…",
        "ʰ",
        "ª",
    ];
}
