//! The name of an object: its SHA-1 or SHA-256.

use std::fmt;

/// The name of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    /// Filled up with zeros.
    bytes: [u8; 32],
    len: u8,
}

impl Id {
    /// 20 or 32 bytes.
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..raw.len())?.copy_from_slice(raw);
        matches!(raw.len(), 20 | 32).then_some(Self { bytes, len: raw.len() as u8 })
    }

    /// 40 or 64 digits.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        if !matches!(hex.len(), 40 | 64) {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.as_chunks::<2>().0) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self { bytes, len: (hex.len() / 2) as u8 })
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len()]
    }

    /// In bytes.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Enough of it to tell visited commits apart. Two that were made to agree here only hide one of themselves.
    pub fn short(&self) -> u128 {
        self.bytes.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_back() {
        for len in [40, 64] {
            let hex: String = "0123456789abcdef".chars().cycle().take(len).collect();
            let id = Id::from_hex(hex.as_bytes()).unwrap();
            assert_eq!(id.to_string(), hex);
            assert_eq!(Id::from_bytes(id.as_bytes()), Some(id));
        }
        for bad in ["", "0", "0123456789abcdef0123456789abcdef0123456g", "0123456789abcdef0123456789abcdef012345678"] {
            assert!(Id::from_hex(bad.as_bytes()).is_none(), "{bad}");
        }
        assert!(Id::from_bytes(&[0; 21]).is_none() && Id::from_bytes(&[0; 33]).is_none());
    }
}
