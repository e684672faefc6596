//! Communities by the method of Louvain (Blondel and others, "Fast unfolding of communities in large networks", 2008):
//! nodes move to the neighbouring community that raises the modularity most, in order of their numbers, until none
//! does; then communities become nodes, and it begins again. Of equal gains the community with the lowest number wins,
//! so that equal graphs have equal communities.

use std::collections::BTreeMap;

/// A gain that is smaller is rounding.
const LEAST_GAIN: f64 = 1e-12;

/// The community of each node, numbered by their first nodes. Edges stand in both directions with equal weights.
pub fn communities(weights: &[Vec<(usize, f64)>]) -> Vec<usize> {
    let mut of: Vec<usize> = (0..weights.len()).collect();
    let mut level: Vec<Vec<(usize, f64)>> = weights.to_vec();
    loop {
        let (moved, groups) = one_level(&level);
        if !moved {
            return numbered(&of);
        }
        let groups = numbered(&groups);
        of.iter_mut().for_each(|community| *community = groups[*community]);
        level = folded(&level, &groups);
    }
}

/// Newman's modularity of communities (2004): the share of weight inside them, less what would be there if edges with
/// the same sums at their ends were drawn at random. A weight of a node to itself stands once and counts whole.
pub fn modularity(weights: &[Vec<(usize, f64)>], of: &[usize]) -> f64 {
    let total: f64 = weights.iter().flatten().map(|(_, weight)| weight).sum();
    if total <= 0.0 {
        return 0.0;
    }
    let (mut inside, mut ends) = (0.0, BTreeMap::<usize, f64>::new());
    for (node, edges) in weights.iter().enumerate() {
        for (other, weight) in edges {
            inside += if of[node] == of[*other] { *weight } else { 0.0 };
            *ends.entry(of[node]).or_default() += weight;
        }
    }
    inside / total - ends.values().map(|sum| (sum / total).powi(2)).sum::<f64>()
}

/// Moves nodes until none gains; gives whether one moved, and the community of each.
fn one_level(weights: &[Vec<(usize, f64)>]) -> (bool, Vec<usize>) {
    let count = weights.len();
    let mut of: Vec<usize> = (0..count).collect();
    let ends: Vec<f64> = weights.iter().map(|edges| edges.iter().map(|(_, weight)| weight).sum()).collect();
    let total: f64 = ends.iter().sum();
    if total <= 0.0 {
        return (false, of);
    }
    let mut sums = ends.clone();
    let mut any = false;
    loop {
        let mut moved = false;
        for node in 0..count {
            let own = of[node];
            let mut links: BTreeMap<usize, f64> = BTreeMap::new();
            for (other, weight) in weights[node].iter().filter(|(other, _)| *other != node) {
                *links.entry(of[*other]).or_default() += weight;
            }
            sums[own] -= ends[node];
            let gain =
                |community: usize| links.get(&community).copied().unwrap_or(0.0) - sums[community] * ends[node] / total;
            let mut best = (own, gain(own));
            for &community in links.keys() {
                let there = gain(community);
                if there > best.1 + LEAST_GAIN {
                    best = (community, there);
                }
            }
            sums[best.0] += ends[node];
            of[node] = best.0;
            moved |= best.0 != own;
        }
        any |= moved;
        if !moved {
            return (any, of);
        }
    }
}

/// Communities as nodes. What lies inside one is an edge to itself.
fn folded(weights: &[Vec<(usize, f64)>], of: &[usize]) -> Vec<Vec<(usize, f64)>> {
    let count = of.iter().max().map_or(0, |most| most + 1);
    let mut out: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); count];
    for (node, edges) in weights.iter().enumerate() {
        edges.iter().for_each(|(other, weight)| *out[of[node]].entry(of[*other]).or_default() += weight);
    }
    out.into_iter().map(|edges| edges.into_iter().collect()).collect()
}

/// The same communities, numbered from 0 in the order of their first nodes.
fn numbered(of: &[usize]) -> Vec<usize> {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    of.iter()
        .map(|community| {
            let next = numbers.len();
            *numbers.entry(*community).or_insert(next)
        })
        .collect()
}
