//! What past tasks like this one used.

use super::super::graph::Conditional;

/// How much the base counts beside past tasks, in tasks as like as the likest. One, as in Laplace's rule; with three
/// the figures change by less than 0.01.
pub const PAST_SMOOTHING: f64 = 1.0;

/// Past tasks with the tools that they used.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// The tasks in words.
    pub texts: Vec<String>,
    /// Their unit vectors.
    pub vectors: Vec<Vec<f32>>,
    /// The tools that each used.
    pub sessions: Vec<Vec<usize>>,
}

impl Past {
    /// How likely each tool is by past tasks of these cosines to this one, which `sharpness` says how much to heed:
    ///
    /// ```text
    /// w(h)    = exp(sharpness * (cosine(h) - greatest cosine))
    /// past(t) = (sum over tasks h that used t of w(h) + base(t)) / (sum over x of the same)
    /// ```
    ///
    /// `without` is left out, as if it had not been.
    pub fn likely(
        cosines: &[f32],
        sessions: &[Vec<usize>],
        of: &Conditional<'_>,
        sharpness: f64,
        without: Option<usize>,
    ) -> Vec<f64> {
        let others = || cosines.iter().enumerate().filter(|(at, _)| Some(*at) != without);
        let greatest = others().map(|(_, cosine)| *cosine).fold(f32::NEG_INFINITY, f32::max);
        let mut out: Vec<f64> = of.base().iter().map(|base| PAST_SMOOTHING * base).collect();
        for (at, cosine) in others() {
            let weight = (sharpness * f64::from(cosine - greatest)).exp();
            let Some(tools) = sessions.get(at).filter(|_| weight > 1e-9) else { continue };
            for (place, tool) in tools.iter().enumerate() {
                if !tools[..place].contains(tool)
                    && let Some(sum) = out.get_mut(*tool)
                {
                    *sum += weight;
                }
            }
        }
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|value| *value /= sum);
        out
    }
}
