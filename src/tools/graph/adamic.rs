//! Adamic-Adar (Adamic and Adar, "Friends and Neighbors on the Web", 2003): a common neighbour says the more the fewer
//! neighbours it has. `A(x, y) = sum over z in N(x) and N(y) of 1 / ln |N(z)|`.

/// How much each node shares with `from`, by node. Weights of edges do not count.
pub fn adamic_adar(weights: &[Vec<(usize, f64)>], from: usize) -> Vec<f64> {
    let mut out = vec![0.0; weights.len()];
    for (common, _) in weights.get(from).into_iter().flatten() {
        let neighbours = &weights[*common];
        // With one neighbour it is common to nobody.
        if neighbours.len() < 2 {
            continue;
        }
        let says = 1.0 / (neighbours.len() as f64).ln();
        neighbours.iter().filter(|(node, _)| *node != from).for_each(|(node, _)| out[*node] += says);
    }
    out
}
