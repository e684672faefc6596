//! From an image to one with a graph, if a graph pays: built, measured, and only kept if it finds enough.
//!
//! Measured with some of the rows as queries, each as if it were not there itself: how wide a walk has to be so that
//! recall reaches its target even at the lower end of what the sample allows, and how many rows such a walk compares.
//! What is measured becomes the certificate. No time is taken: what comparing costs is counted in rows and bytes, so
//! that the same rows give the same graph, the same certificate and the same decision on every machine and every run.
//!
//! Questions lie further from all rows than rows do from each other, and the further, the more a walk misses. So the
//! rows that ask are the loneliest of many that are drawn, and the certificate says how lonely those are (`reach`): for
//! a question that is further off than nearly all of them it says nothing, and everything is compared.

use super::Neighbour;
use super::certificate::Certificate;
use super::graph::{BuildOptions, CodeRows, LADDER, Recall, Rung, build, least_ef, recall_ladder, self_found};
use super::image::{Image, Origin};
use super::index::{Index, walk_pays};
use rayon::prelude::*;
use std::io;
use std::ops::ControlFlow;

/// Queries that recall is measured with.
const QUERIES: usize = 500;
/// Rows that are drawn for them; the others are too easy.
const DRAWN: usize = 4_000;
/// Width of the walk that says how lonely a drawn row is.
const LONELY_EF: usize = 64;
/// One in so many of those that ask is lonelier than what the certificate speaks for.
const BEYOND: usize = 6;
/// Shares of the drawn rows, the loneliest first, that stand before those that ask. Where too little is found for the
/// loneliest, less lonely ones are asked: then the certificate speaks for fewer questions, and more are compared with
/// everything.
const LEFT_OUT: [f32; 3] = [0.0, 0.125, 0.5];
/// Bytes of codes up to which comparing everything is quick enough, so that a graph would save nobody anything: 1.5 ms
/// on one thread where it was measured (docs/benchmarks.md), 93,750 rows of 384 components.
const QUICK_BYTES: usize = 36_000_000;

/// What is asked of a graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphOptions {
    /// Recall that a search must reach at the lower end of its interval, in (0, 1).
    pub target: f64,
    /// How it is built.
    pub build: BuildOptions,
    /// Whether it is built even where comparing everything is quick.
    pub always: bool,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self { target: 0.99, build: BuildOptions::default(), always: false }
    }
}

/// What became of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grown {
    /// Comparing everything reads so many bytes, which is less work than walks would be, or little enough.
    Exact(usize),
    /// It has a graph with this certificate.
    Graph(Certificate),
    /// The widest walk finds this share of what it should: everything is compared instead.
    Missed(f64),
    /// It was stopped.
    Stopped,
}

/// An image with a graph, if one pays. `progress` hears how many rows are in, and may stop the build; the image is as
/// it was then.
///
/// # Errors
/// When the image lies on a disk that refuses.
pub fn grow(
    image: Image,
    origin: &Origin,
    options: GraphOptions,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> io::Result<(Image, Grown)> {
    let bytes = image.codes().len();
    if bytes < QUICK_BYTES && !options.always {
        return Ok((image, Grown::Exact(bytes)));
    }
    let graph = match CodeRows::new(image.codes(), image.scales(), image.dims()) {
        Some(codes) => build(&codes, options.build, &mut *progress),
        None => None,
    };
    let Some(graph) = graph else { return Ok((image, Grown::Stopped)) };
    let none = Certificate { target: options.target as f32, ..Certificate::default() };
    let image = image.with_graph(origin, &graph, none)?;
    drop(graph);
    let index = Index::new(image);
    let drawn = by_loneliness(&index);
    let mut best = 0.0f64;
    for share in LEFT_OUT {
        let measured = certify(&index, asking(&drawn, share), none);
        if progress(index.len()).is_break() {
            return Ok((index.into_image().without_graph(origin)?, Grown::Stopped));
        }
        match measured {
            Ok(certificate) if !options.always && !pays(&index, &certificate) => {
                return Ok((index.into_image().without_graph(origin)?, Grown::Exact(bytes)));
            }
            Ok(certificate) => {
                return Ok((index.into_image().certified(origin, certificate)?, Grown::Graph(certificate)));
            }
            Err(share) => best = best.max(share),
        }
    }
    Ok((index.into_image().without_graph(origin)?, Grown::Missed(best)))
}

/// Whether walks among all rows cost less than comparing them.
fn pays(index: &Index, certificate: &Certificate) -> bool {
    walk_pays(certificate, index.len(), index.len(), certificate.ef as usize)
}

/// What a graph finds for these rows; the share that the widest walk finds if that is too little.
fn certify(index: &Index, queries: &[HeldOutQuery], known: Certificate) -> Result<Certificate, f64> {
    let target = f64::from(known.target);
    let truth = truth(index, queries, 100);
    let measure = |k: usize| measured(index, queries, &truth, k, target);
    let (ten, hundred) = (measure(10), measure(100));
    let (Some(ef), Some(ef_100)) = (least_ef(&ten, target), least_ef(&hundred, target)) else {
        return Err(ten.last().zip(hundred.last()).map_or(0.0, |(a, b)| a.recall.share.min(b.recall.share)));
    };
    let sample: Vec<u32> = sample(index.len(), QUERIES).collect();
    let found = match index.image().graph().zip(index.codes()) {
        Some((graph, codes)) => self_found(&graph, &codes, &sample, ef.max(32)).share,
        None => 0.0,
    };
    Ok(Certificate {
        queries: queries.len() as u32,
        self_found: found as f32,
        recall: ten.iter().find(|rung| rung.ef == ef).map(|rung| rung.recall).unwrap_or_default(),
        ef: ef as u32,
        ef_100: ef_100 as u32,
        reach: reach(&truth),
        walked: comparisons(index, queries, ef),
        walked_100: comparisons(index, queries, ef_100),
        ..known
    })
}

/// The recall of an image's graph, measured again: of the ten nearest, as wide as its certificate says. `None` without
/// one. On a sound file it is the recall that the certificate has.
pub fn recertify(index: &Index) -> Option<Recall> {
    let certificate = index.image().certificate()?;
    let drawn = by_loneliness(index);
    // Those that asked then: what the certificate speaks for is what it spoke for.
    let asked = LEFT_OUT.iter().map(|share| {
        let queries = asking(&drawn, *share);
        let truth = truth(index, queries, 10);
        (queries, (reach(&truth) - certificate.reach).abs(), truth)
    });
    let (queries, _, truth) = asked.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let wanted = Wanted { k: 10, widths: &[certificate.ef as usize], target: 1.0 };
    ladder(index, queries, &truth, wanted).first().map(|rung| rung.recall)
}

/// Those that ask, where this share of the drawn rows is too lonely for it.
fn asking(drawn: &[HeldOutQuery], left_out: f32) -> &[HeldOutQuery] {
    let rest = &drawn[(drawn.len() as f32 * left_out) as usize..];
    &rest[..rest.len().min(QUERIES)]
}

/// How near the tenth neighbour is of all that asked but the loneliest.
fn reach(truth: &[Vec<Neighbour>]) -> f32 {
    let mut tenths: Vec<f32> = truth.iter().filter_map(|near| Some(near.get(9)?.similarity)).collect();
    tenths.sort_unstable_by(f32::total_cmp);
    tenths.get(tenths.len() / BEYOND).copied().unwrap_or(f32::NEG_INFINITY)
}

/// Walks for the `k` nearest of each query, wider and wider until enough is found.
fn measured(index: &Index, queries: &[HeldOutQuery], truth: &[Vec<Neighbour>], k: usize, target: f64) -> Vec<Rung> {
    let widths: Vec<usize> = LADDER.into_iter().filter(|ef| *ef >= k).collect();
    ladder(index, queries, truth, Wanted { k, widths: &widths, target })
}

/// The `k` nearest of each query, nearest first.
fn truth(index: &Index, queries: &[HeldOutQuery], k: usize) -> Vec<Vec<Neighbour>> {
    crate::threads::ready();
    queries.par_iter().map(|query| index.neighbours(query.row, &query.vector, k)).collect()
}

/// What walks are measured for.
struct Wanted<'a> {
    /// Nearest rows that should be found.
    k: usize,
    /// Widths to try, ascending.
    widths: &'a [usize],
    /// Recall at which to stop, at the lower end of its interval.
    target: f64,
}

fn ladder(index: &Index, queries: &[HeldOutQuery], truth: &[Vec<Neighbour>], wanted: Wanted<'_>) -> Vec<Rung> {
    let Wanted { k, widths, target } = wanted;
    let rows = |near: &[Neighbour]| -> Vec<u32> { near.iter().map(|near| near.row).collect() };
    let truth: Vec<Vec<u32>> = truth.iter().map(|near| rows(&near[..near.len().min(k)])).collect();
    recall_ladder(&truth, widths, target, |at, ef| {
        let HeldOutQuery { row, vector, .. } = &queries[at];
        rows(&index.neighbours_by_walk(*row, vector, k, ef))
    })
}

/// So many rows spread over an image, the same every time.
fn sample(rows: usize, count: usize) -> impl Iterator<Item = u32> {
    let step = (rows / count).max(1);
    (0..rows).step_by(step).take(count).map(|row| row as u32)
}

/// A row that asks as if it were held out of the index: a search for the neighbours of a text that is new.
struct HeldOutQuery {
    row: u32,
    vector: Vec<f32>,
    /// How near the tenth neighbour is, as far as a narrow walk finds it. Where that misses something, the row is one
    /// to ask.
    tenth: f32,
}

fn drawn(index: &Index, count: usize) -> Vec<HeldOutQuery> {
    let held_out = |row| Some(HeldOutQuery { row, vector: index.image().checked(row)?, tenth: f32::NEG_INFINITY });
    sample(index.len(), count).filter_map(held_out).collect()
}

/// Rows that are drawn, the loneliest first.
fn by_loneliness(index: &Index) -> Vec<HeldOutQuery> {
    let mut rows = drawn(index, DRAWN);
    crate::threads::ready();
    rows.par_iter_mut().for_each(|one| {
        let near = index.neighbours_by_walk(one.row, &one.vector, 10, LONELY_EF);
        one.tenth = near.get(9).map_or(f32::NEG_INFINITY, |near| near.similarity);
    });
    rows.sort_by(|a, b| a.tenth.total_cmp(&b.tenth));
    rows
}

/// The median of how many rows a walk of this width compares.
fn comparisons(index: &Index, queries: &[HeldOutQuery], ef: usize) -> u32 {
    let walk = |query: &HeldOutQuery| index.comparisons(query.row, &query.vector, ef) as u32;
    let mut walks: Vec<u32> = queries.iter().map(walk).collect();
    walks.sort_unstable();
    walks.get(walks.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const DIMS: usize = 64;

    fn vectors(rows: usize) -> Vec<[f32; DIMS]> {
        let point = |row: usize| {
            let raw: [f32; DIMS] = std::array::from_fn(|at| {
                ((row * DIMS + at) as f32 * 12.9898).sin() + ((row % 40) as f32 * 7.0 + at as f32 * 3.3).sin()
            });
            let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
            raw.map(|x| x / length)
        };
        (0..rows).map(point).collect()
    }

    fn image(vectors: &[[f32; DIMS]]) -> Image {
        let hash = |row: usize| (row as u128).to_be_bytes();
        let rows = vectors.iter().enumerate().map(|(row, vector)| (hash(row), vector.as_slice()));
        Image::new(&Origin::default(), DIMS, rows, (0..vectors.len()).map(|row| (row as u64, 0, hash(row))))
    }

    fn options(target: f64) -> GraphOptions {
        GraphOptions { target, build: BuildOptions { m: 12, ef_construction: 60, seed: 0 }, always: true }
    }

    #[test]
    fn a_graph_is_kept_if_it_finds_enough() {
        let go = &mut |_| ControlFlow::Continue(());
        let (kept, grown) = grow(image(&vectors(2_000)), &Origin::default(), options(0.9), go).unwrap();
        let Grown::Graph(certificate) = grown else { panic!("{grown:?}") };
        assert_eq!(kept.certificate(), Some(&certificate));
        assert!(certificate.recall.low >= 0.9 && certificate.self_found > 0.99, "{certificate:?}");
        let index = Index::new(kept);
        let again = recertify(&index).unwrap();
        assert_eq!(again, certificate.recall, "the same rows, the same walk");
        let (bare, grown) = grow(index.into_image(), &Origin::default(), options(1.0), go).unwrap();
        assert!(matches!(grown, Grown::Missed(share) if share > 0.9) && bare.certificate().is_none());
        let (same, grown) = grow(bare, &Origin::default(), GraphOptions::default(), go).unwrap();
        assert_eq!((grown, same.len()), (Grown::Exact(2_000 * DIMS), 2_000), "few rows need none");
        let (_, grown) = grow(same, &Origin::default(), options(0.9), &mut |_| ControlFlow::Break(())).unwrap();
        assert_eq!(grown, Grown::Stopped);
    }

    /// The decision hangs on the rows alone: neither on the clock nor on the threads.
    #[test]
    fn the_same_rows_give_the_same_certificate() {
        let all = vectors(3_000);
        let grown = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (_, grown) = pool.install(|| {
                grow(image(&all), &Origin::default(), options(0.9), &mut |_| ControlFlow::Continue(())).unwrap()
            });
            let Grown::Graph(certificate) = grown else { panic!("{grown:?}") };
            certificate
        };
        let one = grown(1);
        assert_eq!([grown(1), grown(2), grown(3)], [one; 3]);
        let (walked, walked_100) = (one.walked as usize, one.walked_100 as usize);
        assert!(walked >= one.ef as usize && walked < walked_100 && walked_100 < 3_000, "{one:?}");
    }

    /// Walks that are far too narrow: whoever is lonelier than the certificate's sample gets all the same what
    /// comparing everything finds.
    #[test]
    fn a_lonely_question_is_compared_with_everything() {
        let all = vectors(2_500);
        let bare = image(&all[..2_000]);
        let codes = CodeRows::new(bare.codes(), bare.scales(), DIMS).unwrap();
        let graph = build(&codes, options(0.9).build, |_| ControlFlow::Continue(())).unwrap();
        let exact = Index::new(image(&all[..2_000]));
        let tenth = |query: &[f32]| exact.search(query, 10, None)[9].similarity;
        let mut tenths: Vec<f32> = all[2_000..].iter().map(|query| tenth(query)).collect();
        tenths.sort_unstable_by(f32::total_cmp);
        let reach = tenths[250];
        let certificate = Certificate { ef: 10, ef_100: 10, reach, ..Certificate::default() };
        let index = Index::new(bare.with_graph(&Origin::default(), &graph, certificate).unwrap());
        let (mut lonely, mut missed) = (0, 0);
        for query in &all[2_000..] {
            let (found, right) = (index.search(query, 10, None), exact.search(query, 10, None));
            if right[9].similarity < reach {
                lonely += 1;
                assert_eq!(found, right);
            }
            missed += usize::from(found != right);
        }
        assert!(lonely == 250 && missed > 10, "{lonely} {missed}");
    }

    #[test]
    fn the_loneliest_rows_ask() {
        let (kept, _) =
            grow(image(&vectors(6_000)), &Origin::default(), options(0.8), &mut |_| ControlFlow::Continue(())).unwrap();
        let index = Index::new(kept);
        let tenth = |one: &HeldOutQuery| index.neighbours(one.row, &one.vector, 10)[9].similarity;
        let asked: Vec<f32> = by_loneliness(&index)[..QUERIES].iter().map(tenth).collect();
        let mut all: Vec<f32> = drawn(&index, DRAWN).iter().map(tenth).collect();
        all.sort_unstable_by(f32::total_cmp);
        let among = asked.iter().filter(|near| **near <= all[QUERIES + QUERIES / 5]).count();
        assert!(among * 10 >= QUERIES * 9, "{among}");
        let reach = index.image().certificate().unwrap().reach;
        let below = all.iter().filter(|near| **near < reach).count();
        assert!((QUERIES / BEYOND * 3 / 4..=QUERIES / BEYOND * 4 / 3).contains(&below), "{below}");
    }

    /// A graph that is too poor for what lies alone speaks for the rest.
    #[test]
    fn a_poor_graph_speaks_for_less() {
        let mut all = vectors(4_000);
        for (at, vector) in all.iter_mut().enumerate().filter(|(at, _)| at % 9 == 0) {
            let raw: [f32; DIMS] = std::array::from_fn(|i| ((at * DIMS + i) as f32 * 78.233).sin() + 0.3);
            let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
            *vector = raw.map(|x| x / length);
        }
        let go = &mut |_| ControlFlow::Continue(());
        let poor =
            |target| GraphOptions { target, build: BuildOptions { m: 2, ef_construction: 4, seed: 1 }, always: true };
        let reaches = [0.5, 0.9, 0.97, 0.99, 0.995].map(|target| {
            let (_, grown) = grow(image(&all), &Origin::default(), poor(target), go).unwrap();
            match grown {
                Grown::Graph(certificate) => certificate.reach,
                _ => f32::INFINITY,
            }
        });
        let speaks_for_less = reaches[1] > reaches[0] && reaches[1].is_finite();
        assert!(reaches.is_sorted() && speaks_for_less && reaches[4].is_infinite(), "{reaches:?}");
    }

    /// A third of the owners gone, a third with other texts, some new: by a walk as well, nothing that is gone is
    /// found, and everything that is there.
    #[test]
    fn a_walk_knows_what_has_changed() {
        let all = vectors(3_000);
        let hash = |row: usize| (row as u128).to_be_bytes();
        let before = image(&all[..1_500]);
        let codes = CodeRows::new(before.codes(), before.scales(), DIMS).unwrap();
        let graph = build(&codes, options(0.9).build, |_| ControlFlow::Continue(())).unwrap();
        let certificate = Certificate { ef: 64, ef_100: 256, reach: -1.0, ..Certificate::default() };
        let before = before.with_graph(&Origin::default(), &graph, certificate).unwrap();
        // Owner n has text n; afterwards none, text n + 1,500, or the same; owners from 2,000 on are new.
        let changed: Vec<usize> = (0..1_500).filter(|owner| owner % 3 != 2).chain(2_000..2_100).collect();
        let now = |owner: usize| match (owner, owner % 3) {
            (2_000.., _) => Some(owner + 900),
            (_, 0) => None,
            (_, 1) => Some(owner + 1_500),
            _ => Some(owner),
        };
        let links = changed.iter().filter_map(|owner| Some((*owner as u64, 0, hash(now(*owner)?))));
        let fresh = all.iter().enumerate().map(|(row, vector)| (hash(row), vector.as_slice()));
        let index = Index::with_changes(before, changed.iter().map(|owner| *owner as u64).collect(), links, fresh);
        assert_eq!(index.changes(), (1_100, 1_000));
        let mut there: Vec<usize> = (0..1_500).filter_map(now).chain((2_000..2_100).filter_map(now)).collect();
        let owners = |query: &[f32], set: Option<&crate::ann::RowSet>| -> Vec<u64> {
            let found = index.search(query, 10, set);
            found.iter().flat_map(|near| index.owners_of(near.row).map(|(owner, _)| owner)).collect()
        };
        let (mut right, mut wanted) = (0, 0);
        for query in all.iter().step_by(17) {
            let found = owners(query, None);
            let mut exact: Vec<u64> = index
                .search_exactly(query, 10, None)
                .iter()
                .flat_map(|near| index.owners_of(near.row))
                .map(|(owner, _)| owner)
                .collect();
            exact.retain(|owner| found.contains(owner));
            (right, wanted) = (right + exact.len(), wanted + 10);
            assert!(found.len() >= 10 && found.iter().all(|owner| now(*owner as usize).is_some()), "{found:?}");
        }
        assert!(right * 100 >= wanted * 97, "{right} of {wanted}");
        there.sort_unstable();
        for text in there.iter().step_by(7) {
            let best = index.search(&all[*text], 1, None)[0];
            assert!(index.row_of(&hash(*text)) == Some(best.row) || best.similarity > 0.999, "text {text}");
        }
        let even = index.rows_where(|owner| owner % 2 == 0);
        assert!(owners(&all[5], Some(&even)).iter().all(|owner| owner % 2 == 0));
    }

    /// Whatever byte is wrong: the file is refused, or every row that a search still finds is right.
    #[test]
    fn damage_never_makes_a_wrong_row() {
        let all = vectors(40);
        let (whole, grown) =
            grow(image(&all), &Origin::default(), options(0.5), &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(matches!(grown, Grown::Graph(_)));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        whole.write(&path).unwrap();
        let sound = Image::open(&path, &Origin::default()).unwrap();
        assert!(sound.graph_is_sound() && sound.damaged_rows() == 0);
        let near = |row: u32| all[row as usize].iter().zip(&all[7]).map(|(a, b)| a * b).sum::<f32>();
        let bytes = fs::read(&path).unwrap();
        let (mut refused, mut noticed) = (0, 0);
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x81;
            fs::write(&path, &changed).unwrap();
            let Some(image) = Image::open(&path, &Origin::default()) else {
                refused += 1;
                continue;
            };
            noticed += usize::from(!image.graph_is_sound() || image.damaged_rows() > 0);
            let index = Index::new(image);
            let found = [index.search_as_wide(&all[7], 10, 30), index.search(&all[7], 10, None)].concat();
            assert!(found.iter().all(|found| (found.similarity - near(found.row)).abs() < 1e-5), "byte {at}");
        }
        assert!(refused > 50 && noticed > bytes.len() / 9, "{refused} {noticed} of {}", bytes.len());
    }
}
