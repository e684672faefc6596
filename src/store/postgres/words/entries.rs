//! Postings of a term as bytes: a run for each batch, one after another, so that segments are merged by putting their
//! bytes together.
//!
//! A run is the number of its segment, how many items follow, and of each the distance from the id before it, how often
//! it holds the term, and its length. Numbers have seven bits a byte, low ones first; the last byte is below 128.

use crate::store::{ItemVersion, Posting};

/// Appends a number.
pub(super) fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off; `None` if there is none.
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

/// Appends the postings of one segment, by ascending id.
pub(super) fn push_run(run: &[Posting], out: &mut Vec<u8>) {
    let Some(first) = run.first() else { return };
    push_number(first.version.born as u64, out);
    push_number(run.len() as u64, out);
    let mut before = 0i64;
    for found in run {
        push_number(found.version.item.wrapping_sub(before) as u64, out);
        push_number(found.count.into(), out);
        push_number(found.length.into(), out);
        before = found.version.item;
    }
}

/// Appends what was packed to `out`; `None` if nobody packed it so.
pub(super) fn read_runs(mut bytes: &[u8], out: &mut Vec<Posting>) -> Option<()> {
    while !bytes.is_empty() {
        let born = take_number(&mut bytes)? as i64;
        let mut item = 0i64;
        for _ in 0..take_number(&mut bytes)? {
            item = item.wrapping_add(take_number(&mut bytes)? as i64);
            let (count, length) = (small(&mut bytes)?, small(&mut bytes)?);
            out.push(Posting { version: ItemVersion { item, born }, count, length });
        }
    }
    Some(())
}

/// Appends postings from the beginning of what was packed, until `out` has so many. The bytes may end anywhere.
pub(super) fn read_first(bytes: &[u8], most: usize, out: &mut Vec<Posting>) {
    // What is cut off ends the reading.
    let _ = read_runs(bytes, out);
    out.truncate(most);
}

fn small(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take_number(bytes)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_packed_is_read(
            runs in proptest::collection::btree_map(
                1i64..1 << 40, proptest::collection::btree_map(any::<i64>(), any::<(u32, u32)>(), 1..9), 0..5,
            ),
        ) {
            let run = |(born, items): (&i64, &std::collections::BTreeMap<i64, (u32, u32)>)| {
                let version = |item: &i64| ItemVersion { item: *item, born: *born };
                items.iter().map(|(item, &(count, length))| Posting { version: version(item), count, length }).collect()
            };
            let runs: Vec<Vec<Posting>> = runs.iter().map(run).collect();
            let mut bytes = Vec::new();
            runs.iter().for_each(|run| push_run(run, &mut bytes));
            let mut read = Vec::new();
            prop_assert!(read_runs(&bytes, &mut read).is_some());
            prop_assert_eq!(read, runs.concat());
            for end in 1..bytes.len() {
                // Less is either fewer runs, or none that anybody packed; never a panic.
                read_runs(&bytes[..end], &mut Vec::new());
            }
        }

        #[test]
        fn any_bytes_are_read_within_bounds(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut read = Vec::new();
            read_runs(&bytes, &mut read);
            prop_assert!(read.len() <= bytes.len());
        }
    }
}
