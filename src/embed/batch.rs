//! Which texts go through the model together.
//!
//! Texts are sorted by length and cut into batches of at most [`BATCH_TOKENS`] tokens. Rows are packed end to end,
//! so nothing is padded; the sort keeps the attention of a batch even and the batches few.

use super::tokenize::Tokens;

/// Tokens of one batch: enough to keep both cores in long matrix products, few enough for the caches.
pub(crate) const BATCH_TOKENS: usize = 2048;

/// Indices into `tokens`, batch by batch, longest texts first, each batch within `limit` tokens or a single text.
pub(crate) fn plan(tokens: &[Tokens], limit: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(tokens[i].ids.len()), i));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for i in order {
        let length = tokens[i].ids.len();
        match batches.last_mut() {
            Some(batch) if used.saturating_add(length) <= limit => batch.push(i),
            _ => {
                batches.push(vec![i]);
                used = 0;
            }
        }
        used += length;
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lengths: &[usize]) -> Vec<Tokens> {
        lengths.iter().map(|&n| Tokens { ids: vec![0; n], second: n, truncated: false }).collect()
    }

    #[test]
    fn every_text_once_and_no_batch_over_the_limit() {
        let tokens = texts(&[3, 512, 2, 100, 512, 7, 2000, 1, 40]);
        let batches = plan(&tokens, 512);
        let mut seen: Vec<usize> = batches.concat();
        seen.sort_unstable();
        assert_eq!(seen, (0..9).collect::<Vec<_>>());
        for batch in &batches {
            let sum: usize = batch.iter().map(|&i| tokens[i].ids.len()).sum();
            assert!(sum <= 512 || batch.len() == 1, "{batch:?}");
        }
        assert_eq!(batches[0], [6]);
    }

    #[test]
    fn no_texts_no_batches() {
        assert!(plan(&[], 10).is_empty());
    }
}
