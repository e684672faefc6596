//! The rows of a table one after another, read page by page.

use super::{PAGE, Place, Row, Table, Value};
use crate::store::StoreError;
use std::collections::VecDeque;

/// Where a reader of a table is.
pub(super) struct Pages<'t> {
    table: &'t Table,
    rows: VecDeque<Row>,
    /// The key of the last row that was read.
    last: Option<Vec<Value>>,
    is_at_end: bool,
}

impl<'t> Pages<'t> {
    /// Before the first row.
    pub fn new(table: &'t Table) -> Self {
        Self { table, rows: VecDeque::new(), last: None, is_at_end: false }
    }

    /// The next row, which stays the next one.
    pub fn peek(&mut self, place: &mut (impl Place + ?Sized)) -> Result<Option<&Row>, StoreError> {
        if self.rows.is_empty() && !self.is_at_end {
            let page = place.page(self.table, self.last.as_deref(), PAGE)?;
            self.is_at_end = page.len() < PAGE;
            if let Some(row) = page.last() {
                self.last = Some(self.table.key(row).to_vec());
            }
            self.rows = page.into();
        }
        Ok(self.rows.front())
    }

    /// The next row.
    pub fn next(&mut self, place: &mut (impl Place + ?Sized)) -> Result<Option<Row>, StoreError> {
        self.peek(place)?;
        Ok(self.rows.pop_front())
    }
}
