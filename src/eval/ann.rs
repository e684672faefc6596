//! Measures nearest-neighbour search alone, without texts or a model: how long building, opening and searching take,
//! and how much of what comparing every vector in f32 finds is found.

use crate::ann::{BuildOptions, Certificate, Draft, GraphOptions, Grown, Image, Index, Origin, RowSet, grow};
use crate::map::{Aside, Map, Room};
use crate::vector::dot_rows;
use rayon::prelude::*;
use serde::Serialize;
use std::convert::Infallible;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::time::Instant;

/// Neighbours that are asked for.
const K: usize = 10;
/// Widths of walks that are measured.
const WIDTHS: [usize; 7] = [16, 24, 32, 64, 128, 256, 512];
/// Dimensions that synthetic vectors really have.
const LATENT: usize = 32;
/// Clusters of synthetic vectors.
const CLUSTERS: u64 = 2_000;

/// Rows that are made, or compared, at a time.
const BLOCK: usize = 1_024;

/// Vectors of length 1 to search, and to ask. What is searched is never in memory as a whole, so that the memory that
/// is used is that of the index.
#[derive(Debug)]
pub struct Vectors {
    /// Components of a vector.
    pub dims: usize,
    base: Base,
    /// What is asked, row after row.
    queries: Vec<f32>,
}

#[derive(Debug)]
enum Base {
    /// Little-endian f32, row after row.
    File(Map),
    /// Made when they are needed.
    Synthetic { rows: usize, map: Vec<f32> },
}

impl Vectors {
    /// Those of two files of little-endian f32; the first is read as it is needed.
    ///
    /// # Errors
    /// When one cannot be read, or its length is no multiple of a vector's; with its path.
    pub fn open<'p>(base: &'p Path, queries: &'p Path, dims: usize) -> Result<Self, (&'p Path, io::Error)> {
        let open = |path: &'p Path| {
            let whole = |map: Map| {
                let fits = dims > 0 && !map.is_empty() && map.len().is_multiple_of(4 * dims);
                let what = || format!("{} bytes are no whole number of vectors of {dims} components", map.len());
                if fits { Ok(map) } else { Err(io::Error::new(io::ErrorKind::InvalidData, what())) }
            };
            Map::open(path).and_then(whole).map_err(|error| (path, error))
        };
        let (base, queries) = (open(base)?, open(queries)?);
        Ok(Self { dims, base: Base::File(base), queries: floats(&queries) })
    }

    /// Vectors that lie as embeddings do, in clusters on a curved surface of few dimensions: the same for the same
    /// numbers.
    pub fn synthetic(rows: usize, queries: usize, dims: usize) -> Self {
        let map: Vec<f32> = (0..dims * LATENT).map(|at| normal(mix(7, at as u64))).collect();
        let queries = synthetic_rows(rows..rows + queries, dims, &map);
        Self { dims, base: Base::Synthetic { rows, map }, queries }
    }

    /// Number of vectors to search.
    pub fn rows(&self) -> usize {
        match &self.base {
            Base::File(map) => map.len() / 4 / self.dims,
            Base::Synthetic { rows, .. } => *rows,
        }
    }

    /// What is asked, row after row.
    pub fn queries(&self) -> &[f32] {
        &self.queries
    }

    /// Gives the vectors to search, some at a time, with the number of the first.
    ///
    /// # Errors
    /// The first that `each` returns.
    pub fn blocks<E>(&self, mut each: impl FnMut(usize, &[f32]) -> Result<(), E>) -> Result<(), E> {
        for first in (0..self.rows()).step_by(BLOCK) {
            let rows = first..(first + BLOCK).min(self.rows());
            each(
                first,
                &match &self.base {
                    Base::File(map) => floats(&map[rows.start * self.dims * 4..rows.end * self.dims * 4]),
                    Base::Synthetic { map, .. } => synthetic_rows(rows, self.dims, map),
                },
            )?;
        }
        Ok(())
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect()
}

fn synthetic_rows(rows: Range<usize>, dims: usize, map: &[f32]) -> Vec<f32> {
    crate::threads::ready();
    rows.into_par_iter().flat_map_iter(|row| synthetic_row(row as u64, dims, map)).collect()
}

fn synthetic_row(row: u64, dims: usize, map: &[f32]) -> Vec<f32> {
    let cluster = mix(1, row) % CLUSTERS;
    let latent: Vec<f32> =
        (0..LATENT as u64).map(|at| normal(mix(2, cluster * 64 + at)) + 0.6 * normal(mix(3, row * 64 + at))).collect();
    let mut out: Vec<f32> = (0..dims)
        .map(|at| {
            let sum: f32 = map[at * LATENT..(at + 1) * LATENT].iter().zip(&latent).map(|(a, b)| a * b).sum();
            (sum / (LATENT as f32).sqrt()).tanh() + 0.05 * normal(mix(4, row * dims as u64 + at as u64))
        })
        .collect();
    let length = out.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    out.iter_mut().for_each(|x| *x /= length);
    out
}

/// SplitMix64 (Steele, Lea and Flood, 2014) of a number in a stream.
fn mix(stream: u64, number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(stream << 56);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// About normally distributed: the sum of four uniform parts of a number, scaled to variance 1.
fn normal(bits: u64) -> f32 {
    let sum: f32 = (0..4).map(|part| ((bits >> (16 * part)) & 0xffff) as f32 / 65_536.0).sum();
    (sum - 2.0) * 3f32.sqrt()
}

/// How long searches take, and what they find of the ten nearest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Lap {
    /// Share of the ten nearest.
    pub recall: f64,
    /// Searches a second, one after another.
    pub qps: f64,
    /// Microseconds of a search, the median.
    pub p50_us: f64,
    /// 95 of 100 are faster.
    pub p95_us: f64,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnnReport {
    /// Vectors.
    pub n: usize,
    /// Components of a vector.
    pub dim: usize,
    /// Searches of each kind.
    pub queries: usize,
    /// Whether every search compares everything, because no graph reaches the target.
    pub exact: bool,
    /// Recall that was asked for.
    pub recall_target: f64,
    /// Of searches as the product does them.
    pub recall_at_10: f64,
    /// The same, a second, one after another.
    pub qps: f64,
    /// Seconds that the graph took on all threads.
    pub build_s: f64,
    /// Seconds that repairing it and its certificate took.
    pub certify_s: f64,
    /// Seconds that the file took beside that.
    pub write_s: f64,
    /// Most memory that the process has held until the file was in place, MiB; pages of the file count, though the
    /// system can take them back. None where the system does not tell.
    pub build_peak_mib: Option<u64>,
    /// Milliseconds of opening the file.
    pub open_ms: f64,
    /// Milliseconds of the first search in it.
    pub first_ms: f64,
    /// Size of the file for each vector.
    pub bytes_per_vector: f64,
    /// Width of a search for ten, lower end of its recall, rows that find themselves.
    pub certificate: Option<CertificateReport>,
    /// As the product searches.
    pub search: Lap,
    /// Comparing everything on one thread, and on all.
    pub exact_1: Lap,
    /// See `exact_1`.
    pub exact_all: Lap,
    /// Walks of some widths.
    pub widths: Vec<WidthLap>,
    /// Searches among a share of the rows.
    pub filters: Vec<FilterLap>,
}

/// The certificate of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CertificateReport {
    /// Width of a search for ten.
    pub ef: u32,
    /// Rows that such a walk compares, at the median.
    pub walked: u32,
    /// Its recall, and the ends of the interval of that.
    pub recall: [f64; 3],
    /// Share of rows that find themselves.
    pub self_found: f32,
}

impl From<Certificate> for CertificateReport {
    fn from(one: Certificate) -> Self {
        let recall = [one.recall.share, one.recall.low, one.recall.high];
        Self { ef: one.ef, walked: one.walked, recall, self_found: one.self_found }
    }
}

/// Walks of one width.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WidthLap {
    /// The width.
    pub ef: usize,
    /// What came of it.
    #[serde(flatten)]
    pub lap: Lap,
}

/// Searches among some of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FilterLap {
    /// Share of rows that are admitted.
    pub share: f64,
    /// What came of it.
    #[serde(flatten)]
    pub lap: Lap,
}

/// What is measured.
#[derive(Debug, Clone)]
pub struct AnnPlan {
    /// Recall to ask for.
    pub target: f64,
    /// Shares of rows to search among.
    pub filters: Vec<f64>,
    /// The most memory that the process has held, in MiB.
    pub peak_mib: fn() -> Option<u64>,
}

/// Builds an index of these vectors in a file in `folder`, opens it, and asks every query in every way. `progress`
/// hears how many rows are linked, and may stop it.
///
/// # Errors
/// When the file cannot be written; [`io::ErrorKind::Interrupted`] when it was stopped.
pub fn measure_ann(
    vectors: &Vectors,
    plan: &AnnPlan,
    folder: &Path,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> io::Result<AnnReport> {
    let (dims, rows) = (vectors.dims, vectors.rows());
    let Built { index, certificate, times, bytes, peak_mib } = built(vectors, plan, folder, progress)?;
    let start = Instant::now();
    drop(index.search(&vectors.queries[..dims], K, None));
    let first_ms = start.elapsed().as_secs_f64() * 1e3;
    let sets: Vec<Option<RowSet>> =
        std::iter::once(None).chain(plan.filters.iter().map(|share| Some(admitted(rows, *share)))).collect();
    let mut truths = truths(vectors, &sets).into_iter();
    let truth = truths.next().unwrap_or_default();
    let mut lap = |truth: &[Vec<u32>], search: &dyn Fn(&[f32]) -> Vec<u32>| {
        unless_stopped(progress(rows)).map(|()| lap(vectors, truth, search))
    };
    let search = lap(&truth, &|query| found(index.search(query, K, None)))?;
    let mut widths = Vec::new();
    for ef in certificate.iter().flat_map(|_| WIDTHS) {
        widths.push(WidthLap { ef, lap: lap(&truth, &|query| found(index.search_as_wide(query, K, ef)))? });
    }
    let mut filters = Vec::new();
    for ((share, set), wanted) in plan.filters.iter().zip(&sets[1..]).zip(truths) {
        let lap = lap(&wanted, &|query| found(index.search(query, K, set.as_ref())))?;
        filters.push(FilterLap { share: *share, lap });
    }
    Ok(AnnReport {
        n: rows,
        dim: dims,
        queries: truth.len(),
        exact: certificate.is_none(),
        recall_target: plan.target,
        recall_at_10: search.recall,
        qps: search.qps,
        build_s: times.link_s,
        certify_s: times.certify_s,
        write_s: times.write_s,
        build_peak_mib: peak_mib,
        open_ms: times.open_ms,
        first_ms,
        bytes_per_vector: bytes as f64 / rows.max(1) as f64,
        certificate: certificate.map(CertificateReport::from),
        search,
        exact_1: lap(&truth, &|query| found(index.search_alone(query, K)))?,
        exact_all: lap(&truth, &|query| found(index.search_exactly(query, K, None)))?,
        widths,
        filters,
    })
}

/// An index over the file that was written for it.
struct Built {
    index: Index,
    certificate: Option<Certificate>,
    times: BuildTimes,
    /// Of the file.
    bytes: usize,
    /// The most memory that the process has held by then.
    peak_mib: Option<u64>,
}

struct BuildTimes {
    link_s: f64,
    certify_s: f64,
    write_s: f64,
    open_ms: f64,
}

fn built(
    vectors: &Vectors,
    plan: &AnnPlan,
    folder: &Path,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> io::Result<Built> {
    let (dims, rows) = (vectors.dims, vectors.rows());
    // A text's hash orders the rows: here a row's number does, so that rows stay where they are.
    let hash = |row: usize| (row as u128).to_be_bytes();
    let origin = Origin { model: "vectors".to_owned(), ..Origin::default() };
    let path = folder.join("bench.ann");
    let start = Instant::now();
    let room = Room::Aside(Aside::new(&path)?);
    let links = (0..rows).map(|row| (row as u64, 0, hash(row))).collect();
    let mut draft = Draft::new(room, dims, (0..rows).map(hash).collect(), links)?;
    vectors.blocks(|first, block| {
        unless_stopped(progress(0))?;
        let mut block = block.chunks_exact(dims).zip(first..);
        block.try_for_each(|(vector, row)| draft.put(&hash(row), vector))
    })?;
    let image = draft.finish(&origin)?;
    let made_s = start.elapsed().as_secs_f64();
    let options = GraphOptions { target: plan.target, build: BuildOptions::default(), always: true };
    let start = Instant::now();
    let mut linked_s = None;
    let (image, grown) = grow(image, &origin, options, &mut |done| {
        if done == rows {
            linked_s.get_or_insert_with(|| start.elapsed().as_secs_f64());
        }
        progress(done)
    })?;
    let grown_s = start.elapsed().as_secs_f64();
    let certificate = match grown {
        Grown::Graph(certificate) => Some(certificate),
        Grown::Stopped => return Err(io::ErrorKind::Interrupted.into()),
        Grown::Exact(_) | Grown::Missed(_) => None,
    };
    let start = Instant::now();
    let bytes = image.bytes();
    image.persist()?;
    let write_s = made_s + start.elapsed().as_secs_f64();
    let peak_mib = (plan.peak_mib)();
    let start = Instant::now();
    let opened =
        Image::open(&path, &origin).ok_or_else(|| io::Error::other("the file that was written does not open"))?;
    let open_ms = start.elapsed().as_secs_f64() * 1e3;
    let link_s = linked_s.unwrap_or(grown_s);
    let times = BuildTimes { link_s, certify_s: grown_s - link_s, write_s, open_ms };
    Ok(Built { index: Index::new(opened), certificate, times, bytes, peak_mib })
}

fn unless_stopped(on: ControlFlow<()>) -> io::Result<()> {
    if on.is_break() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
}

fn found(near: Vec<crate::ann::Neighbour>) -> Vec<u32> {
    near.into_iter().map(|near| near.row).collect()
}

/// Rows that are admitted, spread by a fixed rule; one at least.
fn admitted(rows: usize, share: f64) -> RowSet {
    let mut set = RowSet::new(rows);
    let limit = (share.clamp(0.0, 1.0) * u64::MAX as f64) as u64;
    (0..rows).filter(|row| mix(9, *row as u64) <= limit).for_each(|row| set.insert(row as u32));
    if set.is_empty() {
        set.insert(0);
    }
    set
}

/// The nearest rows of each set (none: of all) for each query, by comparing all in f32; equally near ones by number.
fn truths(vectors: &Vectors, sets: &[Option<RowSet>]) -> Vec<Vec<Vec<u32>>> {
    let dims = vectors.dims;
    // Query by query, set by set: similarity and row, nearest first.
    let mut best: Vec<Vec<Vec<(f32, u32)>>> =
        vec![vec![Vec::with_capacity(K + 1); sets.len()]; vectors.queries.len() / dims];
    crate::threads::ready();
    let compared: Result<(), Infallible> = vectors.blocks(|first, block| {
        let queries = best.par_iter_mut().zip(vectors.queries.par_chunks_exact(dims));
        queries.for_each_init(Vec::new, |near, (best, query)| {
            near.resize(block.len() / dims, 0.0);
            dot_rows(query, block, near);
            for (set, best) in sets.iter().zip(best) {
                for (near, row) in near.iter().zip(first as u32..) {
                    let beats = best.len() < K || *near > best[K - 1].0;
                    if beats && set.as_ref().is_none_or(|set| set.contains(row)) {
                        best.insert(best.partition_point(|(other, _)| other >= near), (*near, row));
                        best.truncate(K);
                    }
                }
            }
        });
        Ok(())
    });
    let Ok(()) = compared;
    let of_set = |set: usize| best.iter().map(|best| best[set].iter().map(|(_, row)| *row).collect()).collect();
    (0..sets.len()).map(of_set).collect()
}

/// Every query, one after another.
fn lap(vectors: &Vectors, truth: &[Vec<u32>], search: &dyn Fn(&[f32]) -> Vec<u32>) -> Lap {
    let mut times = Vec::with_capacity(truth.len());
    let mut recall = 0.0;
    for (query, truth) in vectors.queries.chunks_exact(vectors.dims).zip(truth) {
        let start = Instant::now();
        let found = search(query);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        let right = truth.iter().filter(|row| found.contains(row)).count();
        recall += right as f64 / truth.len().max(1) as f64;
    }
    let count = times.len().max(1) as f64;
    let qps = count * 1e6 / times.iter().sum::<f64>().max(1e-9);
    times.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(0.0);
    Lap { recall: recall / count, qps, p50_us: at(0.5), p95_us: at(0.95) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_what_it_builds() {
        let vectors = Vectors::synthetic(3_000, 40, 48);
        let all = |vectors: &Vectors| {
            let mut all = Vec::new();
            let mut keep = |_: usize, block: &[f32]| -> Result<(), Infallible> {
                all.extend_from_slice(block);
                Ok(())
            };
            vectors.blocks(&mut keep).unwrap();
            all
        };
        let base = all(&vectors);
        let length = |row: &[f32]| row.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!(base.len() == 3_000 * 48 && base.chunks_exact(48).all(|row| (length(row) - 1.0).abs() < 1e-4));
        assert_eq!(all(&Vectors::synthetic(3_000, 1, 48)), base, "the same numbers, the same vectors");
        let half = admitted(3_000, 0.5);
        for (set, truth) in [None, Some(half.clone())].iter().zip(truths(&vectors, &[None, Some(half)])) {
            for (query, truth) in vectors.queries.chunks_exact(48).zip(truth) {
                let near = |row: usize| base[row * 48..][..48].iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
                let mut rows: Vec<usize> = (0..3_000).collect();
                rows.retain(|row| set.as_ref().is_none_or(|set| set.contains(*row as u32)));
                rows.sort_by(|a, b| near(*b).total_cmp(&near(*a)));
                let alike = truth.iter().zip(&rows).all(|(a, b)| (near(*a as usize) - near(*b)).abs() < 1e-5);
                assert!(alike && truth.len() == K, "{truth:?} {:?}", &rows[..K]);
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let run: &mut dyn FnMut(usize) -> ControlFlow<()> = &mut |_| ControlFlow::Continue(());
        let plan = AnnPlan { target: 0.9, filters: vec![0.5, 0.01], peak_mib: || None };
        let report = measure_ann(&vectors, &plan, dir.path(), run).unwrap();
        assert_eq!((report.n, report.queries, report.exact), (3_000, 40, false));
        assert!(report.recall_at_10 >= 0.9 && report.exact_1.recall == 1.0 && report.exact_all.recall == 1.0);
        assert!(report.filters.iter().all(|filter| filter.lap.recall >= 0.9), "{:?}", report.filters);
        assert!(report.widths.windows(2).all(|pair| pair[0].lap.recall <= pair[1].lap.recall + 0.02));
        let none = AnnPlan { target: 1.0, filters: vec![], peak_mib: || None };
        let report = measure_ann(&vectors, &none, dir.path(), run).unwrap();
        assert!(report.exact && report.recall_at_10 == 1.0, "no sample proves that nothing is ever missed");
        // Stopped at any of the steps it tells of.
        for stop in 0..7 {
            let mut steps = 0;
            let stopped = measure_ann(&vectors, &plan, dir.path(), &mut |_| {
                steps += 1;
                if steps > 4 * stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert!(stopped.is_err_and(|error| error.kind() == io::ErrorKind::Interrupted), "{stop}: {steps}");
        }
    }

    #[test]
    fn files_of_vectors_are_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        std::fs::write(&path, [0, 0, 128, 63, 0, 0, 0, 64]).unwrap();
        let two = Vectors::open(&path, &path, 2).unwrap();
        assert_eq!((two.rows(), &two.queries[..]), (1, &[1.0, 2.0][..]));
        assert!(Vectors::open(&path, &path, 3).is_err() && Vectors::open(&path, &path, 0).is_err());
        let missing = dir.path().join("none");
        assert_eq!(Vectors::open(&path, &missing, 2).unwrap_err().0, missing);
        std::fs::write(&path, "").unwrap();
        assert!(Vectors::open(&path, &path, 2).is_err());
    }
}
