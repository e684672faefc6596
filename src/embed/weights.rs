//! A safetensors file, mapped: names, shapes and values of a model's weights.
//!
//! Matrices are copied out once, as f32, because the products want them aligned and some are fused on the way. The
//! word table is not copied: its rows are read from the map as tokens ask for them, which for a vocabulary of 250,000
//! saves more memory than the rest of the model takes. Offsets and lengths are checked when the file is opened.

use super::EmbedError;
use super::config::Config;
use crate::map::Map;
use safetensors::{Dtype, SafeTensors};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone)]
struct Entry {
    dtype: Dtype,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// An open weights file.
pub(crate) struct Weights {
    path: PathBuf,
    map: Arc<Map>,
    entries: HashMap<String, Entry>,
    prefix: &'static str,
}

/// What exporters put before the standard names.
const PREFIXES: [&str; 4] = ["", "bert.", "roberta.", "model."];

impl Weights {
    pub(crate) fn open(path: &Path) -> Result<Self, EmbedError> {
        let map = Map::open(path).map_err(EmbedError::io(path))?;
        let bad = |what: String| EmbedError::Weights { path: path.into(), what };
        let tensors = SafeTensors::deserialize(&map).map_err(|e| bad(e.to_string()))?;
        let base = map.as_ptr() as usize;
        let mut entries = HashMap::new();
        for (name, view) in tensors.tensors() {
            let start = view.data().as_ptr() as usize - base; // The view is a slice of the map.
            let range = start..start + view.data().len();
            entries.insert(name, Entry { dtype: view.dtype(), shape: view.shape().to_vec(), range });
        }
        let prefix = PREFIXES
            .into_iter()
            .find(|p| entries.contains_key(&format!("{p}embeddings.word_embeddings.weight")))
            .ok_or_else(|| bad("there is no embeddings.word_embeddings.weight".into()))?;
        Ok(Self { path: path.into(), map: Arc::new(map), entries, prefix })
    }

    /// Checks that every tensor of a network of this shape is there, in its own shape. Called before memory is
    /// allocated: after it, no allocation for weights is larger than the file.
    ///
    /// # Errors
    /// [`EmbedError::Weights`] for the first tensor that is missing or has another shape.
    pub(crate) fn check(&self, c: &Config) -> Result<(), EmbedError> {
        let (h, f) = (c.hidden, c.intermediate);
        self.entry("embeddings.word_embeddings.weight", &[c.vocab, h])?;
        self.entry("embeddings.position_embeddings.weight", &[c.positions, h])?;
        self.entry("embeddings.token_type_embeddings.weight", &[c.token_types, h])?;
        self.check_norm("embeddings.LayerNorm", h)?;
        for layer in 0..c.layers {
            let dense = [
                ("attention.self.query", h, h),
                ("attention.self.key", h, h),
                ("attention.self.value", h, h),
                ("attention.output.dense", h, h),
                ("intermediate.dense", f, h),
                ("output.dense", h, f),
            ];
            for (part, outputs, inputs) in dense {
                self.entry(&format!("encoder.layer.{layer}.{part}.weight"), &[outputs, inputs])?;
                self.entry(&format!("encoder.layer.{layer}.{part}.bias"), &[outputs])?;
            }
            for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
                self.check_norm(&format!("encoder.layer.{layer}.{part}"), h)?;
            }
        }
        Ok(())
    }

    fn check_norm(&self, name: &str, width: usize) -> Result<(), EmbedError> {
        self.entry(&format!("{name}.weight"), &[width])?;
        self.entry(&format!("{name}.bias"), &[width])?;
        Ok(())
    }

    /// The values of a tensor of this shape.
    pub(crate) fn read(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        let entry = self.entry(name, shape)?;
        let bytes = &self.map[entry.range.clone()];
        let mut values = vec![0.0; shape.iter().product()];
        decode(entry.dtype, bytes, &mut values);
        Ok(values)
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(&format!("{}{name}", self.prefix)) || self.entries.contains_key(name)
    }

    /// A table of `rows` x `cols` whose rows stay in the file.
    pub(crate) fn table(&self, name: &str, rows: usize, cols: usize) -> Result<Table, EmbedError> {
        let entry = self.entry(name, &[rows, cols])?;
        Ok(Table { map: Arc::clone(&self.map), dtype: entry.dtype, range: entry.range.clone(), cols })
    }

    fn entry(&self, name: &str, shape: &[usize]) -> Result<&Entry, EmbedError> {
        let bad = |what: String| EmbedError::Weights { path: self.path.clone(), what };
        let full = format!("{}{name}", self.prefix);
        // What stands on the network, such as a classifier, has no prefix.
        let found = self.entries.get(&full).or_else(|| self.entries.get(name));
        let entry = found.ok_or_else(|| bad(format!("there is no {full}")))?;
        if entry.shape != shape {
            return Err(bad(format!("{full} has the shape {:?} instead of {shape:?}", entry.shape)));
        }
        match entry.dtype {
            Dtype::F32 | Dtype::F16 | Dtype::BF16 => Ok(entry),
            other => Err(bad(format!("{full} holds {other:?}; f32, f16 and bf16 are supported"))),
        }
    }
}

/// Rows read from the mapped file.
pub(crate) struct Table {
    map: Arc<Map>,
    dtype: Dtype,
    range: Range<usize>,
    cols: usize,
}

impl Table {
    /// Copies row `row` into `out`, which is as long as a row. The caller has checked `row` against the table.
    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        let width = self.cols * bytes_of(self.dtype);
        let start = self.range.start + row * width;
        decode(self.dtype, &self.map[start..start + width], out);
    }
}

fn bytes_of(dtype: Dtype) -> usize {
    match dtype {
        Dtype::F32 => 4,
        _ => 2, // Weights::entry lets only f32, f16 and bf16 through.
    }
}

fn decode(dtype: Dtype, bytes: &[u8], out: &mut [f32]) {
    match dtype {
        Dtype::F32 => {
            for (value, raw) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *value = f32::from_le_bytes(*raw);
            }
        }
        Dtype::F16 => {
            for (value, raw) in out.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *value = half::f16::from_le_bytes(*raw).to_f32();
            }
        }
        _ => {
            for (value, raw) in out.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *value = half::bf16::from_le_bytes(*raw).to_f32();
            }
        }
    }
}
