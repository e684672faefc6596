//! When no tool fits. What words and meaning say is compared with what they say of questions that have nothing to do
//! with any tool: no label is needed, and the gate fits the tools at hand.

/// The evidence that a task must reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToolGate {
    /// In log-odds, as [`super::Finder::evidence`] has it.
    pub least: f64,
}

impl ToolGate {
    /// Such that at most this share of foreign questions passes, of each of which the best tool's evidence is given.
    /// Without questions nothing passes that says nothing.
    pub fn of(mut foreign: Vec<f64>, noise: f64) -> Self {
        foreign.sort_by(|a, b| b.total_cmp(a));
        let passing = (foreign.len() as f64 * noise.clamp(0.0, 1.0)).floor() as usize;
        Self { least: foreign.get(passing).copied().unwrap_or(0.0) }
    }

    /// Whether a task passes whose best tool has this evidence.
    pub fn passes(self, best: f64) -> bool {
        best > self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_share_passes() {
        let foreign: Vec<f64> = (0..100).map(f64::from).collect();
        let gate = ToolGate::of(foreign.clone(), 0.03);
        assert_eq!(foreign.iter().filter(|one| gate.passes(**one)).count(), 3);
        assert!(!ToolGate::of(vec![5.0; 50], 0.03).passes(5.0), "equal ones are not told apart");
        assert!(!ToolGate::of(Vec::new(), 0.03).passes(0.0) && ToolGate::of(Vec::new(), 0.03).passes(0.1));
    }
}
