//! How alike a question and an entry are: one file per signal, and the mix of those that are present.

mod keyword;
mod semantic;

pub use keyword::{Bm25, KeywordIndex, question_words};
pub use semantic::{Background, SemanticIndex, Similarity};

/// Weight of the semantic signal in `similar`.
pub const SEMANTIC_WEIGHT: f32 = 0.75;
/// Weight of the keyword signal in `similar`.
pub const KEYWORD_WEIGHT: f32 = 0.25;

/// The weighted mean of the signals that are present, in \[0, 1\]: an absent signal is not a zero.
pub fn similar(semantic: Option<f32>, keyword: Option<f32>) -> Option<f32> {
    let parts = [(semantic, SEMANTIC_WEIGHT), (keyword, KEYWORD_WEIGHT)];
    let weight: f32 = parts.iter().filter(|(signal, _)| signal.is_some()).map(|(_, weight)| weight).sum();
    let sum: f32 = parts.iter().filter_map(|(signal, weight)| signal.map(|s| s * weight)).sum();
    (weight > 0.0).then(|| sum / weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_signal_is_not_a_zero() {
        assert!((similar(Some(0.8), Some(0.4)).unwrap() - 0.7).abs() < 1e-6);
        assert_eq!(similar(None, Some(0.4)), Some(0.4));
        assert_eq!(similar(None, None), None);
    }
}
