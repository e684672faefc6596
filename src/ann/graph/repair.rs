//! Sees to it that every row can be reached from the entry.
//!
//! Choosing neighbours can leave a row without a link to it, or a group of equal rows with links among themselves only.
//! Each such row gets a link from a near row that is reached. Where that row has no place left, its last link gives
//! way, and the new row leads on to where that one led: so nothing that was reached is lost, and one pass is enough.

use super::NONE;
use super::beam::Pool;
use super::rows::{CodeRows, Probe};
use super::view::Graph;
use super::visited::Visited;
use super::walk::Steps;

/// Near rows that are asked whether they have a place left.
const NEAR: usize = 64;

/// Repairs; gives how many rows needed a new link.
pub(super) fn repair(graph: &mut Graph, codes: &CodeRows<'_>) -> usize {
    if graph.rows == 0 {
        return 0;
    }
    let (mut reached, mut steps, mut pool) = (Visited::default(), Steps::default(), Pool::default());
    reached.reset(graph.rows);
    let entry = graph.view().entry();
    spread(graph, entry, &mut reached);
    let mut repaired = 0;
    for row in 0..graph.rows as u32 {
        if reached.contains(row) {
            continue;
        }
        pool.reset(NEAR);
        steps.search(&graph.view(), codes, &Probe::of_row(codes, row), (&mut pool, usize::MAX));
        let near: Vec<u32> = pool.keys().iter().map(|key| key.node()).filter(|node| reached.contains(*node)).collect();
        let has_place = |node: &&u32| graph.view().lowest().places(**node).contains(&NONE);
        let from = near.iter().find(has_place).or(near.first()).copied().unwrap_or(entry);
        attach(graph, from, row);
        spread(graph, row, &mut reached);
        repaired += 1;
    }
    repaired
}

/// Marks all that can be reached from a row.
fn spread(graph: &Graph, row: u32, reached: &mut Visited) {
    let layer = graph.view().lowest();
    reached.insert(row);
    let mut open = vec![row];
    while let Some(row) = open.pop() {
        open.extend(layer.links(row).filter(|link| reached.insert(*link)));
    }
}

/// Links `from`, which is reached, to `row`, which is not.
fn attach(graph: &mut Graph, from: u32, row: u32) {
    let width = graph.view().lowest().width;
    let put = |base: &mut [u32], node: u32, link: u32| {
        let places = &mut base[node as usize * width..][..width];
        let at = places.iter().position(|place| *place == NONE || *place == link).unwrap_or(width - 1);
        std::mem::replace(&mut places[at], link)
    };
    let lost = put(&mut graph.base, from, row);
    if lost != NONE && lost != row {
        put(&mut graph.base, row, lost);
    }
}
