//! The messages of an ONNX file that hold weights: initialisers by name and the nodes that use them.
//!
//! Field numbers are those of `onnx.proto3`. Nothing is copied: names and values stay slices of the file.

use super::wire::{Fields, Value, varint};
use crate::embed::EmbedError;
use std::collections::HashMap;

/// Element types, by their number in the format.
pub(super) const FLOAT: u64 = 1;
pub(super) const UINT8: u64 = 2;
pub(super) const INT8: u64 = 3;

/// The graph's nodes and constants.
#[derive(Debug, Default)]
pub(super) struct Model<'a> {
    pub nodes: Vec<Node<'a>>,
    pub tensors: HashMap<&'a str, TensorData<'a>>,
}

/// An operation.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    pub name: &'a str,
    pub op: &'a str,
    pub inputs: Vec<&'a str>,
}

/// A constant, as it lies in the file: raw bytes, or numbers in the field of their type.
#[derive(Debug, Default, Clone)]
pub(super) struct TensorData<'a> {
    pub dims: Vec<u64>,
    pub kind: u64,
    raw: Option<&'a [u8]>,
    floats: Vec<f32>,
    ints: Vec<i32>,
    external: bool,
}

fn bad(what: impl Into<String>) -> EmbedError {
    EmbedError::Onnx { what: what.into() }
}

fn text(bytes: &[u8]) -> Result<&str, EmbedError> {
    std::str::from_utf8(bytes).map_err(|_| bad("a name is not UTF-8"))
}

impl<'a> Model<'a> {
    /// Reads the file's graph.
    pub(super) fn parse(file: &'a [u8]) -> Result<Self, EmbedError> {
        let mut model = Self::default();
        for field in Fields::new(file) {
            if let (7, Value::Bytes(graph)) = field? {
                model.read_graph(graph)?;
            }
        }
        if model.tensors.is_empty() { Err(bad("it holds no weights")) } else { Ok(model) }
    }

    fn read_graph(&mut self, graph: &'a [u8]) -> Result<(), EmbedError> {
        for field in Fields::new(graph) {
            match field? {
                (1, Value::Bytes(node)) => self.nodes.push(Node::parse(node)?),
                (5, Value::Bytes(tensor)) => {
                    let (name, data) = TensorData::parse(tensor)?;
                    if self.tensors.insert(name, data).is_some() {
                        return Err(bad(format!("two constants are called {name}")));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn tensor(&self, name: &str) -> Result<&TensorData<'a>, EmbedError> {
        self.tensors.get(name).ok_or_else(|| bad(format!("there is no constant {name}")))
    }
}

impl<'a> Node<'a> {
    fn parse(message: &'a [u8]) -> Result<Self, EmbedError> {
        let mut node = Self::default();
        for field in Fields::new(message) {
            match field? {
                (1, Value::Bytes(name)) => node.inputs.push(text(name)?),
                (3, Value::Bytes(name)) => node.name = text(name)?,
                (4, Value::Bytes(op)) => node.op = text(op)?,
                _ => {}
            }
        }
        Ok(node)
    }
}

impl<'a> TensorData<'a> {
    fn parse(message: &'a [u8]) -> Result<(&'a str, Self), EmbedError> {
        let (mut name, mut tensor) = ("", Self::default());
        for field in Fields::new(message) {
            match field? {
                (1, Value::Varint(dim)) => tensor.dims.push(dim),
                (1, Value::Bytes(packed)) => packed_varints(packed, |v| tensor.dims.push(v))?,
                (2, Value::Varint(kind)) => tensor.kind = kind,
                (4, Value::Fixed32(word)) => tensor.floats.push(f32::from_le_bytes(word)),
                (4, Value::Bytes(packed)) => {
                    let (words, rest) = packed.as_chunks::<4>();
                    if !rest.is_empty() {
                        return Err(bad("a list of floats is cut off"));
                    }
                    tensor.floats.extend(words.iter().map(|w| f32::from_le_bytes(*w)));
                }
                // Negative numbers are written as 64-bit two's complement; the low half is the value.
                (5, Value::Varint(v)) => tensor.ints.push(v as i32),
                (5, Value::Bytes(packed)) => packed_varints(packed, |v| tensor.ints.push(v as i32))?,
                (8, Value::Bytes(bytes)) => name = text(bytes)?,
                (9, Value::Bytes(bytes)) => tensor.raw = Some(bytes),
                (13, _) | (14, Value::Varint(1)) => tensor.external = true,
                _ => {}
            }
        }
        Ok((name, tensor))
    }

    /// Checks type, place and number of the values; the number of values follows from the dimensions.
    fn expect(&self, kinds: &[u64], dims: &[usize]) -> Result<usize, EmbedError> {
        if self.external {
            return Err(bad("its values lie in another file"));
        }
        if !kinds.contains(&self.kind) {
            return Err(bad(format!("a constant has the element type {}", self.kind)));
        }
        if self.dims.len() != dims.len() || self.dims.iter().zip(dims).any(|(&a, &b)| a != b as u64) {
            return Err(bad(format!("a constant has the shape {:?} instead of {dims:?}", self.dims)));
        }
        Ok(dims.iter().product())
    }

    /// The values of an f32 constant of this shape.
    pub(super) fn f32s(&self, dims: &[usize]) -> Result<Vec<f32>, EmbedError> {
        let count = self.expect(&[FLOAT], dims)?;
        let values = match self.raw {
            Some(raw) if raw.len() == count * 4 => {
                raw.as_chunks::<4>().0.iter().map(|w| f32::from_le_bytes(*w)).collect()
            }
            Some(_) => return Err(bad("a constant has too few or too many bytes")),
            None => self.floats.clone(),
        };
        if values.len() == count { Ok(values) } else { Err(bad("a constant has too few or too many values")) }
    }

    /// The values of an 8-bit constant of this shape, signed or unsigned.
    pub(super) fn bytes(&self, dims: &[usize]) -> Result<Bytes<'_>, EmbedError> {
        let count = self.expect(&[UINT8, INT8], dims)?;
        let signed = self.kind == INT8;
        let length = self.raw.map_or(self.ints.len(), <[u8]>::len);
        let range = if signed { -128..=127 } else { 0..=255 };
        if length != count || (self.raw.is_none() && !self.ints.iter().all(|v| range.contains(v))) {
            return Err(bad("an 8-bit constant has the wrong number of values, or values beyond 8 bits"));
        }
        Ok(Bytes { raw: self.raw, ints: &self.ints, signed })
    }
}

/// 8-bit values, read one by one.
pub(super) struct Bytes<'a> {
    raw: Option<&'a [u8]>,
    ints: &'a [i32],
    signed: bool,
}

impl Bytes<'_> {
    pub(super) fn at(&self, index: usize) -> i32 {
        match self.raw {
            Some(raw) if self.signed => i32::from(raw[index] as i8),
            Some(raw) => i32::from(raw[index]),
            None => self.ints[index],
        }
    }
}

fn packed_varints(mut packed: &[u8], mut take: impl FnMut(u64)) -> Result<(), EmbedError> {
    while !packed.is_empty() {
        take(varint(&mut packed).ok_or_else(|| bad("a list of numbers is cut off"))?);
    }
    Ok(())
}
