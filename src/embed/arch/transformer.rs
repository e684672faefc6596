//! The encoder of BERT (Devlin et al., 2019) and XLM-RoBERTa (Conneau et al., 2020) on candle tensors, f32.
//!
//! Texts of a batch are packed end to end as rows of one matrix: nothing is padded and no mask exists, so a text's
//! vector cannot depend on its neighbours. Query, key and value are one product, with the attention's scale folded
//! into the query weights; attention runs per text on strided views of it, without copies. When only the first token
//! of each text is wanted, the last layer computes queries, output and feed-forward for those rows alone.
//! `candle_transformers`' own models are the referee in `tests/embed/arch.rs`.

use super::ops::{self, AddBias, BiasActivation, ResidualNorm, Softmax};
use crate::embed::EmbedError;
use crate::embed::config::Config;
use crate::embed::weights::{Table, Weights};
use candle_core::{CpuStorage, Device, Result, Storage, Tensor, bail};
use rayon::prelude::*;
use std::ops::Range;

/// Which rows of the last layer the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// Every token of every text, in order.
    All,
    /// The first token of every text.
    First,
}

/// The network with its weights.
pub(crate) struct Transformer {
    words: Table,
    /// Position row plus the row of token type 0, `positions` x `hidden`.
    places: Vec<f32>,
    norm: (Vec<f32>, Vec<f32>),
    layers: Vec<Layer>,
    config: Config,
}

struct Layer {
    /// Query, key and value side by side, `hidden` x `3 hidden`, and their biases. Like all weights here it lies as
    /// inputs x outputs.
    qkv: Tensor,
    qkv_bias: Tensor,
    out: Tensor,
    /// Bias of `out`, gamma and beta of the norm after it.
    out_norm: Tensor,
    up: Tensor,
    up_bias: Tensor,
    down: Tensor,
    down_norm: Tensor,
}

impl Transformer {
    pub(crate) fn load(weights: &Weights, config: &Config) -> std::result::Result<Self, EmbedError> {
        let c = config;
        weights.check(c)?;
        let words = weights.table("embeddings.word_embeddings.weight", c.vocab, c.hidden)?;
        let mut places = weights.read("embeddings.position_embeddings.weight", &[c.positions, c.hidden])?;
        let types = weights.read("embeddings.token_type_embeddings.weight", &[c.token_types, c.hidden])?;
        for place in places.chunks_exact_mut(c.hidden) {
            place.iter_mut().zip(&types[..c.hidden]).for_each(|(p, t)| *p += t);
        }
        let norm = (
            weights.read("embeddings.LayerNorm.weight", &[c.hidden])?,
            weights.read("embeddings.LayerNorm.bias", &[c.hidden])?,
        );
        let layers =
            (0..c.layers).into_par_iter().map(|i| Layer::load(weights, c, i)).collect::<std::result::Result<_, _>>()?;
        Ok(Self { words, places, norm, layers, config: config.clone() })
    }

    /// The hidden states of `texts`, row by row, `hidden` wide. The ids are below the vocabulary's size and each text
    /// has at least one and at most [`Config::longest`] of them: the tokenizer has seen to both.
    pub(crate) fn forward(&self, texts: &[&[u32]], rows: Rows) -> Result<Vec<f32>> {
        let mut spans = Vec::with_capacity(texts.len());
        let mut end = 0;
        for text in texts {
            spans.push(end..end + text.len());
            end += text.len();
        }
        let mut x = Tensor::from_vec(self.embed(texts, end), (end, self.config.hidden), &Device::Cpu)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let wanted = if i + 1 == self.layers.len() { rows } else { Rows::All };
            x = layer.forward(&x, &spans, wanted, &self.config)?;
        }
        take(&x)
    }

    /// Word, position and type rows added and normed.
    fn embed(&self, texts: &[&[u32]], total: usize) -> Vec<f32> {
        let width = self.config.hidden;
        let mut rows = vec![0.0f32; total * width];
        let places = texts.iter().flat_map(|text| self.positions(text));
        let tokens = texts.iter().flat_map(|text| text.iter().copied());
        for ((row, id), place) in rows.chunks_exact_mut(width).zip(tokens).zip(places) {
            self.words.row(id as usize, row);
            let place = &self.places[place * width..][..width];
            row.iter_mut().zip(place).for_each(|(x, p)| *x += p);
        }
        rows.par_chunks_mut(64 * width).for_each(|rows| {
            ops::norm_rows(rows, &self.norm.0, &self.norm.1, self.config.norm_eps);
        });
        rows
    }

    /// The position of each token. XLM-RoBERTa counts only tokens that are not the padding token, and a padding token
    /// that stands in the text (somebody wrote `<pad>`) has the padding position.
    fn positions(&self, text: &[u32]) -> impl Iterator<Item = usize> {
        let first = self.config.first_position();
        let pad = (first > 0).then_some(self.config.pad_id);
        let mut next = first;
        text.iter().map(move |&id| {
            if Some(id) == pad {
                return id as usize;
            }
            next += 1;
            next - 1
        })
    }
}

impl Layer {
    fn load(weights: &Weights, c: &Config, index: usize) -> std::result::Result<Self, EmbedError> {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let tensor = |values: Vec<f32>, rows: usize, cols: usize| Tensor::from_vec(values, (rows, cols), &Device::Cpu);
        let dense = |part: &str, outputs: usize, inputs: usize| -> std::result::Result<Tensor, EmbedError> {
            let mut values = vec![0.0; outputs * inputs];
            weights.read_transposed(&name(part), (outputs, inputs), &mut values, (0, outputs))?;
            Ok(tensor(values, inputs, outputs)?)
        };
        let vector = |part: &str, len: usize| weights.read(&name(part), &[len]);
        let (h, f) = (c.hidden, c.intermediate);

        let scale = 1.0 / ((h / c.heads) as f32).sqrt();
        let (mut qkv, mut qkv_bias) = (vec![0.0; 3 * h * h], Vec::with_capacity(3 * h));
        for (i, part) in ["query", "key", "value"].into_iter().enumerate() {
            let weight = name(&format!("attention.self.{part}.weight"));
            weights.read_transposed(&weight, (h, h), &mut qkv, (i * h, 3 * h))?;
            qkv_bias.extend(vector(&format!("attention.self.{part}.bias"), h)?);
        }
        let query = qkv.chunks_exact_mut(3 * h).flat_map(|row| &mut row[..h]);
        query.chain(&mut qkv_bias[..h]).for_each(|w| *w *= scale);
        let norm = |dense: &str, norm: &str| -> std::result::Result<Tensor, EmbedError> {
            let mut rows = vector(&format!("{dense}.bias"), h)?;
            rows.extend(vector(&format!("{norm}.weight"), h)?);
            rows.extend(vector(&format!("{norm}.bias"), h)?);
            Ok(tensor(rows, 3, h)?)
        };
        Ok(Self {
            qkv: tensor(qkv, h, 3 * h)?,
            qkv_bias: tensor(qkv_bias, 1, 3 * h)?,
            out: dense("attention.output.dense.weight", h, h)?,
            out_norm: norm("attention.output.dense", "attention.output.LayerNorm")?,
            up: dense("intermediate.dense.weight", f, h)?,
            up_bias: tensor(vector("intermediate.dense.bias", f)?, 1, f)?,
            down: dense("output.dense.weight", h, f)?,
            down_norm: norm("output.dense", "output.LayerNorm")?,
        })
    }

    fn forward(&self, x: &Tensor, spans: &[Range<usize>], rows: Rows, c: &Config) -> Result<Tensor> {
        let (h, d) = (c.hidden, c.hidden / c.heads);
        let (residual, attended) = match rows {
            Rows::All => {
                let qkv = x.matmul(&self.qkv)?;
                qkv.inplace_op2(&self.qkv_bias, &AddBias)?;
                let parts = qkv.reshape((x.dim(0)?, 3, c.heads, d))?;
                let texts = spans
                    .par_iter()
                    .map(|span| {
                        let text = parts.narrow(0, span.start, span.len())?;
                        attend(&part(&text, 0)?, &part(&text, 1)?, &part(&text, 2)?)
                    })
                    .collect::<Result<Vec<_>>>()?;
                (x.clone(), texts)
            }
            Rows::First => {
                let firsts: Vec<u32> = spans.iter().map(|s| s.start as u32).collect();
                let firsts = x.index_select(&Tensor::from_vec(firsts, spans.len(), &Device::Cpu)?, 0)?;
                let q = firsts.matmul(&self.qkv.narrow(1, 0, h)?)?;
                q.inplace_op2(&self.qkv_bias.narrow(1, 0, h)?, &AddBias)?;
                let kv = x.matmul(&self.qkv.narrow(1, h, 2 * h)?)?;
                kv.inplace_op2(&self.qkv_bias.narrow(1, h, 2 * h)?, &AddBias)?;
                let q = q.reshape((spans.len(), 1, c.heads, d))?;
                let kv = kv.reshape((x.dim(0)?, 2, c.heads, d))?;
                let texts = spans
                    .par_iter()
                    .enumerate()
                    .map(|(i, span)| {
                        let text = kv.narrow(0, span.start, span.len())?;
                        attend(&part(&q.narrow(0, i, 1)?, 0)?, &part(&text, 0)?, &part(&text, 1)?)
                    })
                    .collect::<Result<Vec<_>>>()?;
                (firsts, texts)
            }
        };
        let attended = gather(&attended, h)?;
        let norm = ResidualNorm { eps: c.norm_eps };
        let mid = attended.matmul(&self.out)?;
        mid.inplace_op3(&residual, &self.out_norm, &norm)?;
        let up = mid.matmul(&self.up)?;
        up.inplace_op2(&self.up_bias, &BiasActivation(c.activation))?;
        let down = up.matmul(&self.down)?;
        down.inplace_op3(&mid, &self.down_norm, &norm)?;
        Ok(down)
    }
}

/// The `index`-th of query, key, value: tokens x parts x heads x d to a view of heads x tokens x d.
fn part(text: &Tensor, index: usize) -> Result<Tensor> {
    text.narrow(1, index, 1)?.squeeze(1)?.transpose(0, 1)
}

/// Attention of one text; the scale is in `q`. Heads x queries x d, contiguous.
fn attend(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
    let scores = q.matmul(&k.transpose(1, 2)?)?;
    scores.inplace_op1(&Softmax)?;
    scores.matmul(v)
}

/// The texts' heads x tokens x d one below another as tokens x hidden.
fn gather(texts: &[Tensor], hidden: usize) -> Result<Tensor> {
    let total: usize = texts.iter().map(|t| t.elem_count()).sum();
    let mut rows = vec![0.0f32; total];
    let mut rest = rows.as_mut_slice();
    for text in texts {
        let (heads, tokens, d) = text.dims3()?;
        let (mine, others) = rest.split_at_mut(tokens * hidden);
        rest = others;
        let (storage, layout) = text.storage_and_layout();
        let (Storage::Cpu(CpuStorage::F32(values)), Some((start, end))) = (&*storage, layout.contiguous_offsets())
        else {
            bail!("attention is not contiguous f32");
        };
        for (head, block) in values[start..end].chunks_exact(tokens * d).enumerate().take(heads) {
            for (row, part) in mine.chunks_exact_mut(hidden).zip(block.chunks_exact(d)) {
                row[head * d..][..d].copy_from_slice(part);
            }
        }
    }
    Tensor::from_vec(rows, (total / hidden, hidden), &Device::Cpu)
}

/// The values of a tensor that nobody else holds or needs any more.
fn take(x: &Tensor) -> Result<Vec<f32>> {
    x.flatten_all()?.to_vec1()
}
