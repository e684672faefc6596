//! PageRank (Brin and Page, 1998) by power iteration on weighted edges: how often a walk is at a node that follows an
//! edge by its weight with probability `d`, and else starts anywhere. From a node without edges it starts anywhere.

/// Probability that the walk goes on: the authors' 0.85.
pub const DAMPING: f64 = 0.85;
/// The iteration ends when all nodes together change by less. An order of magnitude below what is compared.
const TOLERANCE: f64 = 1e-10;
/// Most steps. The change shrinks by the damping in each: 0.85^200 is 1e-14.
const STEPS: usize = 200;

/// The share of each node; they sum to 1. Edges lead to the named node; weights are at least 0.
pub fn page_rank(weights: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let count = weights.len();
    if count == 0 {
        return Vec::new();
    }
    let even = 1.0 / count as f64;
    let totals: Vec<f64> = weights.iter().map(|edges| edges.iter().map(|(_, weight)| weight).sum()).collect();
    let mut rank = vec![even; count];
    for _ in 0..STEPS {
        let dangling: f64 = rank.iter().zip(&totals).filter(|(_, total)| **total <= 0.0).map(|(rank, _)| rank).sum();
        let mut next = vec![(1.0 - DAMPING + DAMPING * dangling) * even; count];
        for (node, edges) in weights.iter().enumerate().filter(|(node, _)| totals[*node] > 0.0) {
            edges.iter().for_each(|(to, weight)| next[*to] += DAMPING * rank[node] * weight / totals[node]);
        }
        let change: f64 = rank.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
        rank = next;
        if change < TOLERANCE {
            break;
        }
    }
    rank
}
