//! From a commit to those without parents.

use super::GitError;
use super::graph::Graph;
use super::id::Id;
use super::layout::Layout;
use super::objects::Objects;
use std::collections::HashSet;

/// Commits that are looked at in the graph.
const GRAPH_COMMITS: usize = 5_000_000;
/// Commits that are unpacked: the largest histories have some 1.5 million, and git keeps a graph of those.
const COMMITS: usize = 2_000_000;

/// The least id of a commit without parents, and how many commits were unpacked for it. Histories that were merged have
/// several; the least is as good as any and always the same.
pub(super) fn least_root(layout: &Layout, head: Id) -> Result<(Id, usize), GitError> {
    let folders = layout.object_folders()?;
    let graph = Graph::open(&folders, head.len());
    let mut objects = None;
    let mut in_graph = Vec::new();
    let mut least: Option<Id> = None;
    let mut seen = HashSet::from([head.short()]);
    let mut todo = vec![head];
    let mut parents = Vec::new();
    let mut unpacked = 0;
    while let Some(id) = todo.pop() {
        if let Some(position) = graph.as_ref().and_then(|graph| graph.find(&id)) {
            in_graph.push(position);
            continue;
        }
        let objects = match &mut objects {
            Some(objects) => objects,
            None => objects.insert(Objects::of(folders.clone(), head.len())?),
        };
        objects.parents(&id, &mut parents)?;
        unpacked += 1;
        if parents.is_empty() {
            least = Some(least.map_or(id, |least| least.min(id)));
        }
        for parent in parents.drain(..) {
            if seen.insert(parent.short()) {
                todo.push(parent);
            }
        }
        if seen.len() > COMMITS {
            return Err(GitError::Bound("commits"));
        }
    }
    if let Some(graph) = graph.filter(|_| !in_graph.is_empty()) {
        let found = least_root_in(&graph, in_graph)?;
        least = Some(least.map_or(found, |least| least.min(found)));
    }
    least.map(|least| (least, unpacked)).ok_or(GitError::Damaged("the history"))
}

fn least_root_in(graph: &Graph, from: Vec<u32>) -> Result<Id, GitError> {
    let mut seen = vec![0u64; graph.count() as usize / 64 + 1];
    let mut is_new = |position: u32| {
        let (word, bit) = (&mut seen[position as usize / 64], 1 << (position % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    };
    let mut todo: Vec<u32> = from.into_iter().filter(|position| is_new(*position)).collect();
    let mut visited = 0;
    let mut least: Option<Id> = None;
    while let Some(position) = todo.pop() {
        visited += 1;
        if visited > GRAPH_COMMITS {
            return Err(GitError::Bound("commits"));
        }
        let mut first = true;
        graph.parents(position, |parent| {
            first = false;
            if is_new(parent) {
                todo.push(parent);
            }
        })?;
        if first {
            let id = graph.id(position)?;
            least = Some(least.map_or(id, |least| least.min(id)));
        }
    }
    // A graph that runs in circles has no beginning.
    least.ok_or(GitError::Damaged("the commit graph"))
}
