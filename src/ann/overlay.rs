//! What has changed since an image was made, laid over it.
//!
//! The links of every owner that has changed are those of the overlay, and the image's no longer count. Texts that the
//! image has not are fresh rows, numbered after the image's own and compared one and all; a text that it has keeps its
//! row. Rows that nobody owns any more are dead: no search finds them or lets them take the place of another.

use super::image::{Image, Link, LinkColumns, Origin};
use super::rows::RowSet;
use crate::text::TextHash;
use std::collections::BTreeMap;

/// See the module.
#[derive(Debug)]
pub(super) struct Overlay {
    /// Owners whose links in the image do not count, in order.
    changed: Vec<u64>,
    /// Links of those that are still there, in order: a column each for owner, part and row.
    owners: Vec<u64>,
    parts: Vec<u32>,
    rows: Vec<u32>,
    by_row: BTreeMap<u32, Vec<(u64, u32)>>,
    /// Rows of the image that nobody owns.
    pub dead: RowSet,
    /// Links of the image that do not count.
    hidden: usize,
}

impl Overlay {
    /// Over `base`: these owners have changed, and now have these texts; `vectors` are those of texts that `base` may
    /// not have. Gives the image of the fresh rows as well.
    pub fn new<'v>(
        base: &Image,
        mut changed: Vec<u64>,
        links: impl IntoIterator<Item = (u64, u32, TextHash)>,
        vectors: impl IntoIterator<Item = (TextHash, &'v [f32])>,
    ) -> (Self, Image) {
        changed.sort_unstable();
        changed.dedup();
        let links: Vec<(u64, u32, TextHash)> = links.into_iter().collect();
        let fresh = vectors.into_iter().filter(|(hash, _)| base.row_of(hash).is_none());
        let owned = links.iter().map(|(owner, part, hash)| (*owner, *part, *hash));
        let fresh = Image::new(&Origin::default(), base.dims(), fresh, owned);
        let first = base.len() as u32;
        let row_of = |hash| base.row_of(hash).or_else(|| Some(first + fresh.row_of(hash)?));
        let mut links: Vec<Link> = links
            .iter()
            .filter_map(|(owner, part, hash)| Some(Link { owner: *owner, part: *part, row: row_of(hash)? }))
            .collect();
        links.sort_unstable();
        let mut by_row: BTreeMap<u32, Vec<(u64, u32)>> = BTreeMap::new();
        links.iter().for_each(|link| by_row.entry(link.row).or_default().push((link.owner, link.part)));
        let mut made = Self {
            changed,
            owners: links.iter().map(|link| link.owner).collect(),
            parts: links.iter().map(|link| link.part).collect(),
            rows: links.iter().map(|link| link.row).collect(),
            by_row,
            dead: RowSet::new(base.len()),
            hidden: 0,
        };
        let mut touched: Vec<u32> =
            made.changed.iter().flat_map(|owner| base.rows_of(*owner)).map(|(_, row)| row).collect();
        made.hidden = touched.len();
        touched.sort_unstable();
        touched.dedup();
        for row in touched {
            if made.owners(base, row).next().is_none() {
                made.dead.insert(row);
            }
        }
        (made, fresh)
    }

    /// Whether the links of an owner in the image do not count.
    pub fn is_changed(&self, owner: u64) -> bool {
        self.changed.binary_search(&owner).is_ok()
    }

    /// Owner and part of each text that a row stands for.
    pub fn owners<'a>(&'a self, base: &'a Image, row: u32) -> impl Iterator<Item = (u64, u32)> + 'a {
        let kept = base.owners_of(row).filter(|(owner, _)| !self.is_changed(*owner));
        kept.chain(self.by_row.get(&row).into_iter().flatten().copied())
    }

    /// The links of the owners that have changed.
    pub fn columns(&self) -> LinkColumns<'_> {
        LinkColumns { owners: &self.owners, parts: &self.parts, rows: &self.rows }
    }

    /// Part and row of each text of an owner; `None` if the image's count.
    pub fn rows_of(&self, owner: u64) -> Option<impl Iterator<Item = (u32, u32)> + '_> {
        let columns = self.columns();
        self.is_changed(owner).then(|| columns.of_owner(owner).map(move |at| (columns.parts[at], columns.rows[at])))
    }

    /// All links, by owner.
    pub fn links<'a>(&'a self, base: &'a Image) -> impl Iterator<Item = Link> + 'a {
        let mut last = None;
        let kept = base.links().filter(move |link| {
            let changed = match last {
                Some((owner, changed)) if owner == link.owner => changed,
                _ => self.is_changed(link.owner),
            };
            last = Some((link.owner, changed));
            !changed
        });
        let own = self.owners.iter().zip(&self.parts).zip(&self.rows);
        kept.chain(own.map(|((owner, part), row)| Link { owner: *owner, part: *part, row: *row }))
    }

    /// How many links there are.
    pub fn link_count(&self, base: &Image) -> usize {
        base.link_count().saturating_sub(self.hidden) + self.owners.len()
    }

    /// Owners that have changed.
    pub fn len(&self) -> usize {
        self.changed.len()
    }
}
