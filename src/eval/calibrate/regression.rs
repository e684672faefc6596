//! Logistic regression by Newton's method, with a fixed offset for each row, lightly regularised so that separable data
//! stay finite.

/// One observation.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// What is known.
    pub(super) features: Vec<f64>,
    /// Log-odds that are given.
    pub(super) offset: f64,
    /// What came of it.
    pub(super) right: bool,
}

/// The weights of the features, the intercept first if there is to be one. `ridge` is the strength of the
/// regularisation. Empty for no rows.
pub(super) fn regress(rows: &[Row], intercept: bool, ridge: f64) -> Vec<f64> {
    let Some(first) = rows.first() else { return Vec::new() };
    let extra = usize::from(intercept);
    let size = first.features.len() + extra;
    let inputs =
        |row: &Row| -> Vec<f64> { std::iter::repeat_n(1.0, extra).chain(row.features.iter().copied()).collect() };
    let mut weights = vec![0.0; size];
    for _ in 0..100 {
        // The intercept is free.
        let ridge = |at: usize| if at < extra { 1e-9 } else { ridge };
        let mut gradient: Vec<f64> = (0..size).map(|at| -ridge(at) * weights[at]).collect();
        let mut curvature = vec![vec![0.0; size]; size];
        (0..size).for_each(|at| curvature[at][at] = ridge(at));
        for row in rows {
            let inputs = inputs(row);
            let odds = row.offset + inputs.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
            let p = 1.0 / (1.0 + (-odds).exp());
            let error = f64::from(u8::from(row.right)) - p;
            for (at, x) in inputs.iter().enumerate() {
                gradient[at] += error * x;
                let weight = p * (1.0 - p) * x;
                // The other half is the same.
                curvature[at][at..].iter_mut().zip(&inputs[at..]).for_each(|(sum, y)| *sum += weight * y);
            }
        }
        for at in 1..size {
            let (above, below) = curvature.split_at_mut(at);
            below[0].iter_mut().zip(above).for_each(|(mirrored, row)| *mirrored = row[at]);
        }
        let Some(step) = solve(curvature, gradient) else { break };
        // Newton overshoots where the data are nearly separable.
        let longest = step.iter().fold(0.0f64, |longest, x| longest.max(x.abs()));
        let damp = (4.0 / longest.max(4.0)).min(1.0);
        weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight += damp * step);
        if longest < 1e-7 {
            break;
        }
    }
    weights
}

/// Solves `a x = b` by elimination with pivots; none if `a` is singular.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let size = b.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|&x, &y| a[x][column].abs().total_cmp(&a[y][column].abs()))?;
        if a[pivot][column].abs() < 1e-12 {
            return None;
        }
        a.swap(column, pivot);
        b.swap(column, pivot);
        let (above, below) = a.split_at_mut(column + 1);
        let pivot = &above[column];
        for (row, at) in below.iter_mut().zip(column + 1..) {
            let factor = row[column] / pivot[column];
            row[column..].iter_mut().zip(&pivot[column..]).for_each(|(x, y)| *x -= factor * y);
            b[at] -= factor * b[column];
        }
    }
    for at in (0..size).rev() {
        let known: f64 = a[at][at + 1..].iter().zip(&b[at + 1..]).map(|(x, y)| x * y).sum();
        b[at] = (b[at] - known) / a[at][at];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_made_the_data() {
        // Odds of 1 - 2x + 3y, as exact shares: each point stands once for every share of it that is right.
        let mut rows = Vec::new();
        for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 1.0)] {
            let p = 1.0 / (1.0 + f64::exp(-(1.0 - 2.0 * x + 3.0 * y)));
            let right = (p * 10_000.0).round() as usize;
            rows.extend((0..10_000).map(|at| Row { features: vec![x, y], offset: 0.0, right: at < right }));
        }
        let weights = regress(&rows, true, 1e-2);
        let wanted = [1.0, -2.0, 3.0];
        assert!(weights.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 0.02), "{weights:?}");
        // What is given need not be found.
        rows.iter_mut().for_each(|row| row.offset = 1.0 - 2.0 * row.features[0]);
        rows.iter_mut().for_each(|row| row.features.rotate_left(1));
        rows.iter_mut().for_each(|row| row.features.truncate(1));
        assert!((regress(&rows, false, 1e-2)[0] - 3.0).abs() < 0.02);
    }

    #[test]
    fn separable_data_stay_finite() {
        let rows: Vec<Row> =
            (0..50).map(|at| Row { features: vec![f64::from(at)], offset: 0.0, right: at > 25 }).collect();
        let weights = regress(&rows, true, 1e-2);
        assert!(weights.iter().all(|weight| weight.is_finite()) && weights[1] > 0.0, "{weights:?}");
        assert!(regress(&[], true, 1.0).is_empty());
    }
}
