//! A random forest over features that are there or not (Breiman, "Random Forests", 2001).
//!
//! Each tree learns from a sample of the cases, drawn with replacement. At each node it looks at a sample of the
//! features that differ among the cases there, and splits by the one with the lowest Gini impurity. A leaf gives the
//! shares of its cases; the forest gives the mean of its trees. The random numbers depend on tree and node alone, so
//! equal cases give equal forests.

use std::collections::BTreeMap;

/// Trees.
const TREES: u64 = 100;
/// Fewest cases of a leaf.
const LEAF: usize = 6;
/// Of how many features one is looked at.
const LOOKED_AT: usize = 10;
/// Deepest node.
const DEEPEST: usize = 60;

/// What is known of one case, and what it came to.
#[derive(Debug, Clone)]
pub(super) struct Example {
    /// The number of its class.
    pub class: usize,
    /// Numbers of the features that it has, sorted, each once.
    pub features: Vec<u32>,
}

#[derive(Debug, Clone)]
enum Node {
    /// Where to go on with the feature, and without it.
    Asks { feature: u32, with: usize, without: usize },
    /// Classes and their shares.
    Leaf(Vec<(usize, f64)>),
}

/// The trees, each with its root first.
#[derive(Debug, Clone, Default)]
pub(super) struct Forest {
    classes: usize,
    trees: Vec<Vec<Node>>,
}

impl Forest {
    /// Learns from cases whose classes and features are numbered below these.
    pub fn fit(examples: &[Example], classes: usize, features: usize) -> Self {
        if examples.is_empty() {
            return Self::default();
        }
        let mut grower = Grower {
            examples,
            looked_at: features.div_ceil(LOOKED_AT).max(1),
            counts: vec![BTreeMap::new(); features],
            sizes: vec![0; features],
            nodes: Vec::new(),
            seed: 0,
        };
        let trees = (0..TREES).map(|tree| grower.tree(tree)).collect();
        Self { classes, trees }
    }

    /// How likely each class is; together 1, or nothing without a tree.
    pub fn shares(&self, features: &[u32]) -> Vec<f64> {
        let mut shares = vec![0.0; self.classes];
        for tree in &self.trees {
            let mut at = 0;
            while let Some(Node::Asks { feature, with, without }) = tree.get(at) {
                at = if features.binary_search(feature).is_ok() { *with } else { *without };
            }
            if let Some(Node::Leaf(leaf)) = tree.get(at) {
                leaf.iter().for_each(|(class, share)| shares[*class] += share / self.trees.len() as f64);
            }
        }
        shares
    }
}

/// A number that follows from another, as good as drawn (splitmix64).
fn drawn(from: u64) -> u64 {
    let mut z = from.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

struct Grower<'a> {
    examples: &'a [Example],
    looked_at: usize,
    /// For each feature, of the node at hand: how many cases with it are of each class.
    counts: Vec<BTreeMap<usize, usize>>,
    /// For each feature, how many cases of the node have it.
    sizes: Vec<usize>,
    nodes: Vec<Node>,
    seed: u64,
}

impl Grower<'_> {
    fn tree(&mut self, tree: u64) -> Vec<Node> {
        self.seed = drawn(tree);
        let all = self.examples.len() as u64;
        let draw = |at: u64| (drawn(self.seed ^ drawn(at)) % all) as usize;
        let sample: Vec<usize> = (0..all).map(draw).collect();
        self.grow(&sample, 0);
        std::mem::take(&mut self.nodes)
    }

    /// Adds the node of these cases and all below it; returns its number.
    fn grow(&mut self, cases: &[usize], depth: usize) -> usize {
        let mut classes: BTreeMap<usize, usize> = BTreeMap::new();
        cases.iter().for_each(|case| *classes.entry(self.examples[*case].class).or_default() += 1);
        let number = self.nodes.len();
        let share = |(class, count): (&usize, &usize)| (*class, *count as f64 / cases.len() as f64);
        self.nodes.push(Node::Leaf(classes.iter().map(share).collect()));
        if classes.len() < 2 || cases.len() < 2 * LEAF || depth >= DEEPEST {
            return number;
        }
        let Some(feature) = self.best(cases, &classes, number) else { return number };
        let has = |case: &&usize| self.examples[**case].features.binary_search(&feature).is_ok();
        let (with, without): (Vec<usize>, Vec<usize>) =
            (cases.iter().filter(has).copied().collect(), cases.iter().filter(|case| !has(case)).copied().collect());
        let (with, without) = (self.grow(&with, depth + 1), self.grow(&without, depth + 1));
        self.nodes[number] = Node::Asks { feature, with, without };
        number
    }

    /// The feature that leaves the purest halves, of those that are looked at; the first of equals.
    fn best(&mut self, cases: &[usize], classes: &BTreeMap<usize, usize>, node: usize) -> Option<u32> {
        let mut touched: Vec<u32> = Vec::new();
        for case in cases {
            let example = &self.examples[*case];
            for &feature in &example.features {
                let at = feature as usize;
                if self.sizes[at] == 0 {
                    touched.push(feature);
                }
                self.sizes[at] += 1;
                *self.counts[at].entry(example.class).or_default() += 1;
            }
        }
        let all = cases.len();
        let salt = drawn(self.seed ^ node as u64);
        let mut telling: Vec<(u64, u32)> = touched
            .iter()
            .filter(|feature| (LEAF..=all - LEAF).contains(&self.sizes[**feature as usize]))
            .map(|feature| (drawn(salt ^ u64::from(*feature)), *feature))
            .collect();
        telling.sort_unstable();
        telling.truncate(self.looked_at);
        let squares = |n: usize| (n * n) as f64;
        let whole: f64 = classes.values().map(|n| squares(*n)).sum();
        let purity = |feature: u32| {
            let (counts, size) = (&self.counts[feature as usize], self.sizes[feature as usize]);
            let with: f64 = counts.values().map(|n| squares(*n)).sum();
            let moved: f64 =
                counts.iter().map(|(class, n)| squares(classes[class]) - squares(classes[class] - n)).sum();
            with / size as f64 + (whole - moved) / (all - size) as f64
        };
        let best = telling
            .iter()
            .map(|(_, feature)| (purity(*feature), *feature))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .filter(|(purity, _)| *purity > whole / all as f64 + 1e-9);
        for feature in touched {
            self.sizes[feature as usize] = 0;
            self.counts[feature as usize].clear();
        }
        best.map(|(_, feature)| feature)
    }
}
