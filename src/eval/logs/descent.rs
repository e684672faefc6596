//! Finds where a smooth convex function is least: L-BFGS (Nocedal, "Updating quasi-Newton matrices with limited
//! storage", 1980) with backtracking until the step is long enough down (Armijo). The same input gives the same result.

use std::collections::VecDeque;

/// Steps that are remembered.
const MEMORY: usize = 10;
const MAX_STEPS: usize = 500;
/// The search ends where no component of the gradient is longer.
const FLAT: f64 = 1e-7;
/// Share of the descent that the gradient promises which a step must give.
const SUFFICIENT: f64 = 1e-4;
const MAX_HALVINGS: usize = 40;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a` plus `factor` times `b`.
fn add(a: &[f64], factor: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
}

/// Where `function`, which gives its value and gradient, is least, from zero.
pub(super) fn least(dimensions: usize, function: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Vec<f64> {
    let mut at = vec![0.0; dimensions];
    let (mut value, mut gradient) = function(&at);
    // Steps and the changes of the gradient over them, the latest last.
    let mut known: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    for _ in 0..MAX_STEPS {
        if gradient.iter().all(|slope| slope.abs() < FLAT) {
            break;
        }
        let direction = direction(&gradient, &known);
        let promised = dot(&gradient, &direction);
        let tried = (0..MAX_HALVINGS).find_map(|halvings| {
            let length = 0.5_f64.powi(halvings as i32);
            let next = add(&at, length, &direction);
            let (lower, slope) = function(&next);
            (lower <= value + SUFFICIENT * length * promised).then_some((next, lower, slope))
        });
        let Some((next, lower, slope)) = tried else { break };
        let (step, change) = (add(&next, -1.0, &at), add(&slope, -1.0, &gradient));
        if dot(&step, &change) > 0.0 {
            known.push_back((step, change));
        }
        if known.len() > MEMORY {
            known.pop_front();
        }
        (at, value, gradient) = (next, lower, slope);
    }
    at
}

/// Down, by the gradient and what the last steps tell of the curvature: the two loops of L-BFGS.
fn direction(gradient: &[f64], known: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut out: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(known.len());
    for (step, change) in known.iter().rev() {
        let share = dot(step, &out) / dot(step, change);
        out = add(&out, -share, change);
        shares.push(share);
    }
    if let Some((step, change)) = known.back() {
        let scale = dot(step, change) / dot(change, change);
        out.iter_mut().for_each(|value| *value *= scale);
    }
    for ((step, change), share) in known.iter().zip(shares.iter().rev()) {
        let back = dot(change, &out) / dot(step, change);
        out = add(&out, share - back, step);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_of_a_narrow_bowl_is_found() {
        // (x - 3)^2 + 100 (y + 1 - x)^2 + e^z - z, least at (3, 2, 0).
        let bowl = |at: &[f64]| {
            let (x, y, z) = (at[0], at[1], at[2]);
            let bend = y + 1.0 - x;
            let value = (x - 3.0).powi(2) + 100.0 * bend * bend + z.exp() - z;
            (value, vec![2.0 * (x - 3.0) - 200.0 * bend, 200.0 * bend, z.exp() - 1.0])
        };
        let found = least(3, bowl);
        for (found, wanted) in found.iter().zip([3.0, 2.0, 0.0]) {
            assert!((found - wanted).abs() < 1e-5, "{found} is not {wanted}");
        }
    }
}
