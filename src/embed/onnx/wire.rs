//! The wire format of protocol buffers: tagged fields of varints, fixed words and length-prefixed bytes.

use crate::embed::EmbedError;

/// The value of one field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64,
    Bytes(&'a [u8]),
}

/// Fields of one message, in order.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    fn read(&mut self) -> Option<(u64, Value<'a>)> {
        let tag = varint(&mut self.rest)?;
        let value = match tag & 7 {
            0 => Value::Varint(varint(&mut self.rest)?),
            1 => {
                self.rest = self.rest.get(8..)?;
                Value::Fixed64
            }
            2 => {
                let length = usize::try_from(varint(&mut self.rest)?).ok()?;
                let (bytes, rest) = self.rest.split_at_checked(length)?;
                self.rest = rest;
                Value::Bytes(bytes)
            }
            5 => {
                let (word, rest) = self.rest.split_first_chunk::<4>()?;
                self.rest = rest;
                Value::Fixed32(*word)
            }
            _ => return None,
        };
        Some((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), EmbedError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_none() {
            self.rest = &[]; // After an error there is nothing that could be trusted.
        }
        Some(field.ok_or_else(|| EmbedError::Onnx { what: "the file is cut off or not an ONNX file".into() }))
    }
}

/// Takes a base-128 number off the front.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_kind() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 2, 3, 4, 0x21, 0, 0, 0, 0, 0, 0, 0, 0];
        let fields: Vec<_> = Fields::new(&bytes).map(Result::unwrap).collect();
        let expected =
            [(1, Value::Varint(150)), (2, Value::Bytes(b"hi")), (3, Value::Fixed32([1, 2, 3, 4])), (4, Value::Fixed64)];
        assert_eq!(fields, expected);
    }

    #[test]
    fn every_cut_is_an_error_or_a_shorter_list() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 2, 3, 4];
        let borders = [0, 3, 7, 12];
        for n in 0..=bytes.len() {
            let failed = Fields::new(&bytes[..n]).any(|f| f.is_err());
            assert_eq!(failed, !borders.contains(&n), "{n}");
        }
    }

    #[test]
    fn endless_numbers_and_giant_lengths_end() {
        assert!(varint(&mut &[0xff; 20][..]).is_none());
        let giant = [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1];
        assert!(Fields::new(&giant).next().unwrap().is_err());
    }
}
