//! The store of one machine: rows in SQLite, vectors in an index of its own.

use super::data::{DIMS, SHARES, scope};
use super::{Client, System, TARGET, load, timed};
use kenning::ann::{BuildOptions, Draft, GraphOptions, Grown, Image, Index, Origin, RowSet, grow};
use kenning::eval::Vectors;
use kenning::map::{Aside, Room};
use kenning::store::{DATABASE, Database};
use std::ops::ControlFlow;
use std::path::Path;

pub struct File {
    index: Index,
    /// The rows of each scope. A search of the program finds them by the columns of items that it holds in memory.
    scopes: Vec<(&'static str, RowSet)>,
}

impl File {
    pub fn prepare(folder: &Path, vectors: &Vectors) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let (path, rows) = (folder.join("bench.ann"), folder.join(DATABASE));
        if !rows.exists() {
            let lock = load::lock(folder);
            let mut database = Database::open_to_write(&lock).unwrap();
            timed("file: load", || load::load(&mut database, &lock, vectors));
        }
        let origin = Origin { model: "bench".to_owned(), ..Origin::default() };
        if !path.exists() {
            timed("file: index and certificate", || build(&path, &origin, vectors));
        }
        let size = |path: &Path| path.metadata().unwrap().len() >> 20;
        println!("file: rows {} MiB, index {} MiB", size(&rows), size(&path));
        let index = Index::new(Image::open(&path, &origin).unwrap());
        let rows = |name: &str| index.rows_where(|owner| scope(owner) == name);
        let scopes = SHARES.iter().map(|(name, _)| (*name, rows(name))).collect();
        Self { index, scopes }
    }

    /// Compares everything.
    pub fn exact(&self) -> Client<'_> {
        Box::new(|question, most, scope| {
            let near = self.index.search_exactly(question, most, self.rows(scope));
            near.into_iter().flat_map(|near| self.index.owners_of(near.row)).map(|(owner, _)| owner).collect()
        })
    }

    fn rows(&self, scope: Option<&str>) -> Option<&RowSet> {
        scope.map(|scope| &self.scopes.iter().find(|(name, _)| *name == scope).unwrap().1)
    }
}

impl System for File {
    fn name(&self) -> &'static str {
        "one machine"
    }

    fn client(&self) -> Client<'_> {
        Box::new(|question, most, scope| {
            let near = self.index.nearest_owners(question, most, self.rows(scope));
            near.into_iter().map(|near| near.owner).collect()
        })
    }
}

fn build(path: &Path, origin: &Origin, vectors: &Vectors) {
    // Hashes order the rows: here they are the rows' numbers, so that rows stay where they are.
    let hash = |row: usize| (row as u128).to_be_bytes();
    let all = || 0..vectors.rows();
    let room = Room::Aside(Aside::new(path).unwrap());
    let links = all().map(|row| (row as u64, 0, hash(row))).collect();
    let mut draft = Draft::new(room, DIMS, all().map(hash).collect(), links).unwrap();
    let put = |first: usize, block: &[f32]| {
        block.chunks_exact(DIMS).zip(first..).try_for_each(|(vector, row)| draft.put(&hash(row), vector))
    };
    vectors.blocks(put).unwrap();
    let image = draft.finish(origin).unwrap();
    let options = GraphOptions { target: TARGET, build: BuildOptions::default(), always: true };
    let (image, grown) = grow(image, origin, options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(matches!(grown, Grown::Graph(_)), "{grown:?}");
    image.persist().unwrap();
}
