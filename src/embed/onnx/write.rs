//! Writes safetensors: a length, a JSON header, then the values.
//!
//! Our own writer instead of the crate's, because the bytes are pinned by hash in a manifest: sorted names, fixed
//! metadata, padding to 8 bytes, forever. Tensors are made one at a time, so that a conversion never holds two copies.

use crate::embed::EmbedError;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Gives the values of a tensor by its name and shape.
pub(super) type Make<'a> = &'a mut dyn FnMut(&str, &[usize]) -> Result<Vec<f32>, EmbedError>;

/// Writes `tensors` (name and shape, sorted by name) with the values that `make` gives for each.
pub(super) fn safetensors(
    tensors: &[(String, Vec<usize>)],
    make: Make<'_>,
    out: &mut dyn Write,
    io: impl FnOnce(io::Error) -> EmbedError,
) -> Result<(), EmbedError> {
    let mut failed = None;
    match write(tensors, make, out, &mut failed) {
        Ok(()) => Ok(()),
        Err(error) => Err(failed.unwrap_or_else(|| io(error))),
    }
}

/// A failure of `make` is left in `failed` and ends the writing with any error.
fn write(
    tensors: &[(String, Vec<usize>)],
    make: Make<'_>,
    out: &mut dyn Write,
    failed: &mut Option<EmbedError>,
) -> io::Result<()> {
    let header = header(tensors);
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    let mut bytes = Vec::new();
    for (name, shape) in tensors {
        let values = make(name, shape).map_err(|error| {
            *failed = Some(error);
            io::Error::other("a tensor could not be made")
        })?;
        debug_assert_eq!(values.len(), shape.iter().product::<usize>());
        bytes.clear();
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        out.write_all(&bytes)?;
    }
    Ok(())
}

fn header(tensors: &[(String, Vec<usize>)]) -> String {
    let mut header = String::from("{\"__metadata__\":{\"format\":\"pt\"}");
    let mut start = 0;
    for (name, shape) in tensors {
        let end = start + 4 * shape.iter().product::<usize>();
        // The names are ours: letters, digits, dots and underscores. Writing to a String cannot fail.
        let _ =
            write!(header, ",\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{start},{end}]}}");
        start = end;
    }
    header.push('}');
    header.extend(std::iter::repeat_n(' ', header.len().next_multiple_of(8) - header.len()));
    header
}
