use super::super::testing::{random_graph, random_sessions};
use super::*;

/// Counts as loops over sessions have them.
fn naive(tools: usize, sessions: &[Vec<Call>]) -> Vec<ToolNode> {
    let mut nodes = vec![ToolNode::default(); tools];
    for (a, node) in nodes.iter_mut().enumerate() {
        for calls in sessions {
            let has = |tool: usize| calls.iter().any(|call| call.tool == tool);
            node.sessions += u32::from(has(a));
            node.calls += calls.iter().filter(|call| call.tool == a).count() as u32;
            node.ok += calls.iter().filter(|call| call.tool == a && call.is_ok).count() as u32;
            for b in (0..tools).filter(|b| *b != a) {
                if has(a) && has(b) {
                    *node.with.entry(b).or_default() += 1;
                }
                let next = calls.windows(2).filter(|two| two[0].tool == a && two[1].tool == b).count() as u32;
                if next > 0 {
                    *node.then.entry(b).or_default() += next;
                }
            }
        }
    }
    nodes
}

#[test]
fn calls_one_at_a_time_come_to_what_loops_count() {
    for seed in 0..20 {
        let sessions = random_sessions(seed, 9, 30);
        let graph = ToolGraph::of(9, sessions.iter().map(Vec::as_slice));
        assert_eq!(graph.nodes(), naive(9, &sessions), "seed {seed}");
    }
}

#[test]
fn calls_of_sessions_may_be_told_in_turns() {
    let sessions = random_sessions(3, 6, 2);
    let mut graph = ToolGraph::of(6, []);
    let numbers = [graph.begin(), graph.begin()];
    for at in 0..8 {
        for (number, calls) in numbers.into_iter().zip(&sessions) {
            calls.get(at).into_iter().for_each(|call| graph.record(number, *call));
        }
    }
    assert_eq!(graph, ToolGraph::of(6, sessions.iter().map(Vec::as_slice)));
    let before = graph.clone();
    graph.record(0, Call { tool: 6, is_ok: true });
    graph.record(7, Call { tool: 1, is_ok: true });
    assert_eq!(graph, before, "what is not there is passed over");
}

#[test]
fn adamic_adar_is_the_sum_over_common_neighbours() {
    for seed in 0..20 {
        let weights = random_graph(seed, 12, 20).weights();
        let neighbours = |node: usize| weights[node].iter().map(|(other, _)| *other).collect::<BTreeSet<_>>();
        for from in 0..12 {
            let found = adamic_adar(&weights, from);
            for to in (0..12).filter(|to| *to != from) {
                let wanted: f64 = neighbours(from)
                    .intersection(&neighbours(to))
                    .map(|common| 1.0 / (neighbours(*common).len() as f64).ln())
                    .sum();
                assert!((found[to] - wanted).abs() < 1e-12, "seed {seed}: {from} to {to}");
            }
        }
    }
}

/// The system of equations, solved by elimination.
fn solved(weights: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let n = weights.len();
    let mut rows = vec![vec![0.0; n + 1]; n];
    for (node, edges) in weights.iter().enumerate() {
        let total: f64 = edges.iter().map(|(_, weight)| weight).sum();
        for (to, row) in rows.iter_mut().enumerate() {
            let weight: f64 = edges.iter().filter(|(other, _)| *other == to).map(|(_, weight)| weight).sum();
            row[node] -= DAMPING * if total > 0.0 { weight / total } else { 1.0 / n as f64 };
        }
        rows[node][node] += 1.0;
        rows[node][n] = (1.0 - DAMPING) / n as f64;
    }
    for pivot in 0..n {
        let (above, below) = rows.split_at_mut(pivot + 1);
        for row in below {
            let factor = row[pivot] / above[pivot][pivot];
            row.iter_mut().zip(&above[pivot]).for_each(|(value, other)| *value -= factor * other);
        }
    }
    let mut out = vec![0.0; n];
    for node in (0..n).rev() {
        let known: f64 = (node + 1..n).map(|other| rows[node][other] * out[other]).sum();
        out[node] = (rows[node][n] - known) / rows[node][node];
    }
    out
}

#[test]
fn page_rank_solves_its_equations() {
    for seed in 0..20 {
        let mut weights = random_graph(seed, 15, 8).weights();
        // Edges of one direction, and a node that none leaves.
        weights[0].clear();
        weights[3].retain(|(other, _)| other % 2 == 0);
        let (found, wanted) = (page_rank(&weights), solved(&weights));
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-9), "seed {seed}: {found:?} {wanted:?}");
    }
    assert!(page_rank(&[]).is_empty());
}

#[test]
fn two_cliques_are_two_communities() {
    let clique = |from: usize| (from..from + 5).flat_map(move |a| (a + 1..from + 5).map(move |b| (a, b, 1.0)));
    let weights = weights_of(10, clique(0).chain(clique(5)).chain([(4, 5, 1.0)]));
    assert_eq!(communities(&weights), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn no_single_move_raises_the_modularity() {
    for seed in 0..20 {
        let weights = random_graph(seed, 14, 12).weights();
        let of = communities(&weights);
        assert_eq!(of, communities(&weights), "equal graphs have equal communities");
        let reached = modularity(&weights, &of);
        assert!(reached >= modularity(&weights, &(0..14).collect::<Vec<_>>()) - 1e-12);
        assert!(reached >= modularity(&weights, &[0; 14]) - 1e-12, "seed {seed}");
    }
}

#[test]
fn probabilities_sum_to_one_and_follow_counts() {
    for seed in 0..10 {
        let graph = random_graph(seed, 10, 40);
        let of = Conditional::of(&graph);
        for used in 0..10 {
            let found = of.together(&[(used, 1.0)]);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!((of.after(used).iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let (mu, _) = of.pseudo_counts();
            let node = &graph.nodes()[used];
            let all: f64 = node.with.values().map(|count| f64::from(*count)).sum();
            for (other, found) in found.iter().enumerate() {
                let count = node.with.get(&other).map_or(0.0, |count| f64::from(*count));
                let wanted = (count + mu * of.base()[other]) / (all + mu);
                assert!((found - wanted).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn a_session_that_is_left_out_is_as_if_it_had_not_been() {
    let sessions = random_sessions(5, 8, 25);
    let graph = ToolGraph::of(8, sessions.iter().map(Vec::as_slice));
    let of = Conditional::of(&graph);
    let (mu, _) = of.pseudo_counts();
    for (at, tools) in graph.sessions().iter().enumerate() {
        let others = sessions.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, calls)| calls.as_slice());
        let without = ToolGraph::of(8, others);
        let node = &without.nodes()[tools[0]];
        let all: f64 = node.with.values().map(|count| f64::from(*count)).sum();
        let found = of.together_without(&[(tools[0], 1.0)], tools);
        for (other, found) in found.iter().enumerate() {
            let count = node.with.get(&other).map_or(0.0, |count| f64::from(*count));
            assert!((found - (count + mu * of.base()[other]) / (all + mu)).abs() < 1e-12);
        }
    }
}

#[test]
fn a_graph_that_foretells_nothing_is_smoothed_away() {
    let pairs = |a: usize, b: usize| vec![Call { tool: a, is_ok: true }, Call { tool: b, is_ok: true }];
    let strong: Vec<Vec<Call>> = (0..60).map(|at| pairs(2 * (at % 5), 2 * (at % 5) + 1)).collect();
    let strong = ToolGraph::of(10, strong.iter().map(Vec::as_slice));
    let random: Vec<Vec<Call>> = random_sessions(9, 40, 60);
    let random = ToolGraph::of(40, random.iter().map(Vec::as_slice));
    let (of_strong, of_random) =
        (Conditional::of(&strong).pseudo_counts().0, Conditional::of(&random).pseudo_counts().0);
    assert!(of_strong <= 3.0 && of_random >= 100.0, "{of_strong} {of_random}");
}

proptest::proptest! {
    /// However the calls of sessions come in turns, and whenever a session begins, counting them one at a time comes to
    /// what counting whole sessions comes to.
    #[test]
    fn one_call_at_a_time_comes_to_all_at_once(
        calls in proptest::collection::vec((0usize..6, 0usize..8, proptest::bool::ANY), 0..200),
    ) {
        let mut graph = ToolGraph::of(8, []);
        let mut numbers = std::collections::BTreeMap::new();
        let mut sessions: Vec<Vec<Call>> = Vec::new();
        for (session, tool, is_ok) in calls {
            let number = *numbers.entry(session).or_insert_with(|| {
                sessions.push(Vec::new());
                graph.begin()
            });
            graph.record(number, Call { tool, is_ok });
            sessions[number].push(Call { tool, is_ok });
        }
        proptest::prop_assert_eq!(&graph, &ToolGraph::of(8, sessions.iter().map(Vec::as_slice)));
        let counted = naive(8, &sessions);
        proptest::prop_assert_eq!(graph.nodes(), counted.as_slice());
    }
}
