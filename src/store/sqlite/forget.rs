//! Taking things out: forgetting on request, and cleaning up what nothing uses.
//!
//! What is forgotten leaves the tables, the log, the files that are derived from the tables, and every copy of the
//! database: free pages are overwritten (`secure_delete`), the log is folded into the file and emptied.

use super::StoreError;
use super::copies::copies;
use super::database::Database;
use crate::store::WriterLock;
use crate::store::folder::beside;
use crate::store::sql::{Cleaned, IN_COPIES, IN_LOG, LEFT, RunSql, TRACED_PATHS, WriteSql, clean_rows};
use std::fs;
use std::time::Duration;

impl Database {
    /// Takes the last traces of what was forgotten off the disk: no copies, no derived files, an empty log. Gives
    /// whether all are gone: a reader that holds on to the log is waited for this long, and then the next writer
    /// completes it.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses or a copy cannot be removed.
    pub fn erase_traces(&mut self, lock: &WriterLock, patience: Duration) -> Result<bool, StoreError> {
        if let Some(left) = self.meta(LEFT)?.filter(|left| left != IN_LOG) {
            self.remove_copies()?;
            let derived = if left == IN_COPIES { Vec::new() } else { vec![self.vector_file(), self.terms_file()] };
            for derived in derived {
                match fs::remove_file(&derived) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(StoreError::io(&derived)(error));
                    }
                    _ => {}
                }
            }
            let batch = self.begin(lock)?;
            batch.set_meta(LEFT, Some(IN_LOG))?;
            batch.commit()?;
        }
        self.wait_for_others(patience)?;
        let erased = self.fold_log();
        self.wait_as_ever()?;
        let erased = erased?;
        if erased {
            let batch = self.begin(lock)?;
            batch.set_meta(LEFT, None)?;
            batch.set_meta(TRACED_PATHS, None)?;
            batch.commit()?;
            // What is in the log now holds nothing of it.
            self.fold_log()?;
        }
        Ok(erased)
    }

    /// Removes copies of the database: backups, what a repair put aside, what an interrupted one left.
    fn remove_copies(&self) -> Result<usize, StoreError> {
        super::copies::remove_copies(self.path())
    }

    /// Bytes on disk, the log and backups included.
    pub fn bytes(&self) -> u64 {
        let size = |path: &std::path::Path| fs::metadata(path).map_or(0, |meta| meta.len());
        let copies: u64 = copies(self.path()).iter().map(|path| size(path)).sum();
        size(self.path()) + size(&beside(self.path(), "-wal")) + copies
    }

    /// Removes what nothing uses and gives the space back.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses. Then nothing that is in use was removed.
    pub fn clean(&mut self, lock: &WriterLock) -> Result<Cleaned, StoreError> {
        let bytes_before = self.bytes();
        let batch = self.begin(lock)?;
        let mut out = Cleaned { bytes_before, ..clean_rows(&batch)? };
        batch.commit()?;
        out.backups = self.remove_copies()?;
        self.sql(self.connection.execute_batch("VACUUM; PRAGMA optimize;"))?;
        self.fold_log()?;
        out.bytes_after = self.bytes();
        Ok(out)
    }
}
