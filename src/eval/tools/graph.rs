//! What the graph says of edges that somebody gives, to be compared with other software.

use crate::eval::retrieval::BenchError;
use crate::eval::retrieval::source::{bad, lines, read};
use crate::tools::graph::{adamic_adar, communities, modularity, page_rank, weights_of};
use serde::{Deserialize, Serialize};
use std::path::Path;

const EDGE: &str = r#"a line is {"a": 0, "b": 1, "weight": 2.0}, with numbers of nodes from 0 to 99,999"#;
/// Most nodes: the similarity of all pairs is told.
const NODES: usize = 100_000;

/// What follows from edges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphFigures {
    /// PageRank by node.
    pub page_rank: Vec<f64>,
    /// Adamic-Adar of each pair that has a common neighbour: both nodes, and the value.
    pub adamic_adar: Vec<(usize, usize, f64)>,
    /// The community of each node.
    pub communities: Vec<usize>,
    /// The modularity of the communities.
    pub modularity: f64,
}

#[derive(Deserialize)]
struct EdgeLine {
    a: usize,
    b: usize,
    #[serde(default = "one")]
    weight: f64,
}

fn one() -> f64 {
    1.0
}

/// Reads undirected edges, a line each, and says what follows.
///
/// # Errors
/// [`BenchError`] with the line of what is no edge.
pub fn graph_figures(path: &Path) -> Result<GraphFigures, BenchError> {
    let mut edges = Vec::new();
    for (number, line) in lines(&read(path, EDGE)?) {
        let edge: EdgeLine = serde_json::from_str(line).map_err(|error| bad(path, number, EDGE)(&error.to_string()))?;
        let is_edge = edge.a.max(edge.b) < NODES && edge.weight >= 0.0 && edge.weight.is_finite();
        if !is_edge {
            return Err(bad(path, number, EDGE)("a node or a weight is out of range"));
        }
        edges.push((edge.a, edge.b, edge.weight));
    }
    let nodes = edges.iter().map(|(a, b, _)| a.max(b) + 1).max().unwrap_or(0);
    let weights = weights_of(nodes, edges);
    let communities = communities(&weights);
    let pairs = |from: usize| {
        let all = adamic_adar(&weights, from).into_iter().enumerate().skip(from + 1);
        all.filter(|(_, value)| *value > 0.0).map(move |(to, value)| (from, to, value)).collect::<Vec<_>>()
    };
    Ok(GraphFigures {
        page_rank: page_rank(&weights),
        adamic_adar: (0..nodes).flat_map(pairs).collect(),
        modularity: modularity(&weights, &communities),
        communities,
    })
}
