//! How near a question is to everything: some questions are near whatever there is, and a candidate that is as near as
//! everything else says little.

use serde::Serialize;

/// Cosines of the nearest texts: what a question's background is made of.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Background {
    /// Cosines, falling.
    top: Vec<f32>,
    sum: f32,
}

impl Background {
    /// Of the nearest of `cosines`, one more than `neighbours`.
    pub fn new(mut cosines: Vec<f32>, neighbours: usize) -> Self {
        cosines.sort_unstable_by(|a, b| b.total_cmp(a));
        cosines.truncate(neighbours + 1);
        Self { sum: cosines.iter().sum(), top: cosines }
    }

    /// The background of one of this cosine: nothing is a background of its own.
    pub fn without(&self, own: f32) -> f32 {
        let last = self.top.last().copied().unwrap_or(0.0);
        (self.sum - own.max(last)) / self.top.len().saturating_sub(1).max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_a_background_of_its_own() {
        let background = Background::new(vec![0.6, 1.0, 0.1], 1);
        assert!((background.without(1.0) - 0.6).abs() < 1e-6 && (background.without(0.6) - 1.0).abs() < 1e-6);
    }
}
