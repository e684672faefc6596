//! The forward pass of BERT (Devlin et al., 2019) and XLM-RoBERTa (Conneau et al., 2020).
//!
//! Texts lie end to end as rows of one matrix, so nothing is padded. A layer has two steps. First every row becomes
//! query, key and value in one product, with the attention's scale folded into the query's weights. Then each row
//! attends to the rows of its text and goes through output, norm, feed-forward and norm, a block of rows at a time so
//! that the wide values between the two halves stay in the cache. The rows may be split into parts that run side by
//! side; only the values of the first step are read across. When only the first token of each text is wanted, the
//! last layer makes keys and values of all rows and everything else of those alone. Where two texts stand together, the
//! tokens of the second have the second token type.
//!
//! In int8 the rows are quantised as the norm writes them, before the output's product and after the activation.
//! Residuals, norms, softmax and sums stay in f32.

use super::image::{Image, Matrix};
use crate::embed::EmbedError;
use crate::embed::config::Config;
use crate::embed::encoder::Precision;
use crate::embed::manifest::Activation;
use crate::embed::tokenize::Tokens;
use crate::embed::weights::{Table, Weights};
use crate::vector::simd::{AttentionScratch, Finish, Head, Isa, Norm, ProductScratch, RowScale, Target, fit};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;

/// Rows that go through the feed-forward block together.
const BLOCK: usize = 48;

/// Which rows of the last layer the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// Every token of every text, in order.
    All,
    /// The first token of every text.
    First,
}

/// The network with its weights.
pub(super) struct Network {
    words: Table,
    image: Image,
    /// The second token type less the first, which the image has in every position.
    second: Option<Vec<f32>>,
    config: Config,
    precision: Precision,
    isa: Isa,
}

/// Working memory of one batch, kept from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// Query, key and value of every row.
    qkv: Vec<f32>,
    parts: Vec<Part>,
}

/// Some of a batch's rows on their way through the network.
#[derive(Debug, Default)]
struct Part {
    /// Which rows of the batch.
    rows: Range<usize>,
    /// Their values.
    x: Vec<f32>,
    /// The same as bytes.
    bytes: Vec<u8>,
    scales: Vec<RowScale>,
    /// What attention gives.
    context: Vec<f32>,
    /// Between the halves of the feed-forward block, and queries of the last layer.
    wide: Vec<f32>,
    wide_bytes: Vec<u8>,
    wide_scales: Vec<RowScale>,
    attention: AttentionScratch,
    products: ProductScratch,
}

/// Rows as a product reads them: values, or bytes with their scales.
type Inputs<'a> = (&'a [f32], &'a [u8], &'a [RowScale]);

impl Network {
    pub(super) fn load(
        weights: &Weights,
        config: &Config,
        precision: Precision,
        weights_digest: &str,
        cache: Option<&Path>,
        isa: Isa,
    ) -> Result<Self, EmbedError> {
        let words = weights.table("embeddings.word_embeddings.weight", config.vocab, config.hidden)?;
        let image = Image::open(weights, config, precision, weights_digest, cache)?;
        let second = if config.token_types > 1 {
            let types =
                weights.read("embeddings.token_type_embeddings.weight", &[config.token_types, config.hidden])?;
            let (first, rest) = types.split_at(config.hidden);
            Some(rest.iter().zip(first).map(|(second, first)| second - first).collect())
        } else {
            None
        };
        Ok(Self { words, image, second, config: config.clone(), precision, isa })
    }

    pub(super) fn dims(&self) -> usize {
        self.config.hidden
    }

    pub(super) fn precision(&self) -> Precision {
        self.precision
    }

    pub(super) fn isa(&self) -> Isa {
        self.isa
    }

    /// The hidden states of `texts`, row by row. The ids are below the vocabulary's size and each text has at least one
    /// and at most [`Config::longest`] of them: the tokenizer has seen to both. With more than one part, call it where
    /// rayon may use the threads. `between_layers` is called before each layer.
    pub(super) fn forward(
        &self,
        texts: &[&Tokens],
        rows: Rows,
        workspace: &mut Workspace,
        parts: usize,
        between_layers: &(dyn Fn() + Sync),
    ) -> Vec<f32> {
        let mut spans = Vec::with_capacity(texts.len());
        let mut total = 0;
        for text in texts {
            spans.push(total..total + text.ids.len());
            total += text.ids.len();
        }
        let per_part = total.div_ceil(parts);
        let count = total.div_ceil(per_part);
        workspace.parts.resize_with(count.max(workspace.parts.len()), Part::default);
        let parts = &mut workspace.parts[..count];
        for (i, part) in parts.iter_mut().enumerate() {
            part.rows = i * per_part..total.min((i + 1) * per_part);
            self.embed(texts, &spans, part);
        }
        let h = self.config.hidden;
        let qkv = fit(&mut workspace.qkv, total * 3 * h);
        for layer in 0..self.config.layers {
            between_layers();
            let last = layer + 1 == self.config.layers && rows == Rows::First;
            each(parts, qkv.chunks_mut(per_part * 3 * h), |part, qkv| {
                let wanted = if last { h..3 * h } else { 0..3 * h };
                self.project(part, layer, wanted, qkv);
            });
            let qkv = &*qkv;
            each(parts, std::iter::repeat(()), |part, ()| {
                if last {
                    self.attend_first(part, layer, &spans, qkv);
                } else {
                    self.attend(part, &spans, qkv);
                }
                self.feed(part, layer);
            });
        }
        parts.iter().flat_map(|part| &part.x[..part.rows.len() * h]).copied().collect()
    }

    /// Word, position and type rows added and normed.
    fn embed(&self, texts: &[&Tokens], spans: &[Range<usize>], part: &mut Part) {
        let h = self.config.hidden;
        let x = fit(&mut part.x, part.rows.len() * h);
        for (text, span) in texts.iter().zip(spans) {
            let tokens = span.clone().zip(text.ids.iter().zip(self.positions(&text.ids)));
            for (row, (&id, place)) in tokens.filter(|(row, _)| part.rows.contains(row)) {
                let out = &mut x[(row - part.rows.start) * h..][..h];
                self.words.row(id as usize, out);
                let place = &self.image.places()[place * h..][..h];
                out.iter_mut().zip(place).for_each(|(x, p)| *x += p);
                if let Some(second) = self.second.as_ref().filter(|_| row - span.start >= text.second) {
                    out.iter_mut().zip(second).for_each(|(x, s)| *x += s);
                }
            }
        }
        let count = part.rows.len();
        self.layer_norm(part, 0..count, self.image.embed_norm(self.config.norm_eps));
    }

    /// The position of each token. XLM-RoBERTa counts only tokens that are not the padding token, and a padding token
    /// that stands in the text has the padding position.
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

    /// Norms some rows of a part, and quantises them if the next product wants bytes.
    fn layer_norm(&self, part: &mut Part, rows: Range<usize>, norm: Norm<'_>) {
        let h = self.config.hidden;
        let x = &mut part.x[rows.start * h..rows.end * h];
        match self.precision {
            Precision::F32 => self.isa.norm(x, norm),
            Precision::Int8 => {
                let count = rows.len();
                fit(&mut part.bytes, rows.end * h);
                fit(&mut part.scales, rows.end);
                let bytes = &mut part.bytes[rows.start * h..rows.end * h];
                let scales = &mut part.scales[rows];
                debug_assert_eq!(scales.len(), count);
                self.isa.norm_quantise(x, norm, bytes, scales);
            }
        }
    }

    /// Rows times a matrix, where the rows stand as values and, in int8, also as bytes.
    fn product(
        &self,
        matrix: &Matrix,
        (x, bytes, scales): Inputs<'_>,
        scratch: &mut ProductScratch,
        target: Target<'_>,
    ) {
        let bias = self.image.bias(matrix);
        match self.precision {
            Precision::F32 => self.isa.product_f32(x, self.image.floats(matrix), bias, target),
            Precision::Int8 => self.isa.product_i8((bytes, scales), self.image.bytes(matrix), bias, scratch, target),
        }
    }

    /// Query, key and value of a part's rows, or some of them, into its rows of `qkv`.
    fn project(&self, part: &mut Part, layer: usize, wanted: Range<usize>, qkv: &mut [f32]) {
        let (h, count) = (self.config.hidden, part.rows.len());
        let target = Target { values: &mut qkv[wanted.start..], stride: 3 * h, outputs: wanted, finish: Finish::Plain };
        let mut scratch = std::mem::take(&mut part.products);
        self.product(&self.image.layer(layer).qkv, part.inputs(count, h, self.precision), &mut scratch, target);
        part.products = scratch;
    }

    /// Attention of every row of a part.
    fn attend(&self, part: &mut Part, spans: &[Range<usize>], qkv: &[f32]) {
        let h = self.config.hidden;
        let (first, last) = (part.rows.start, part.rows.end);
        let context = fit(&mut part.context, part.rows.len() * h);
        for span in spans.iter().filter(|s| s.end > first && s.start < last) {
            let rows = span.start.max(first)..span.end.min(last);
            for head in 0..self.config.heads {
                let asked = (&qkv[rows.start * 3 * h..], 3 * h, rows.len());
                let head = self.head(head, span, asked, qkv);
                let out = &mut context[(rows.start - first) * h + head.0..];
                self.isa.attend(head.1, &mut part.attention, out, h);
            }
        }
    }

    /// Column and operands of a head of one text.
    fn head<'a>(
        &self,
        head: usize,
        span: &Range<usize>,
        (questions, question_stride, asked): (&'a [f32], usize, usize),
        qkv: &'a [f32],
    ) -> (usize, Head<'a>) {
        let h = self.config.hidden;
        let width = h / self.config.heads;
        let column = head * width;
        let text = &qkv[span.start * 3 * h..span.end * 3 * h];
        let head = Head {
            questions: &questions[column..],
            question_stride,
            asked,
            keys: &text[h + column..],
            values: &text[2 * h + column..],
            stride: 3 * h,
            tokens: span.len(),
            width,
        };
        (column, head)
    }

    /// Keeps of a part only the first token of each text that begins in it, and lets those attend.
    fn attend_first(&self, part: &mut Part, layer: usize, spans: &[Range<usize>], qkv: &[f32]) {
        let h = self.config.hidden;
        let mine: Vec<&Range<usize>> = spans.iter().filter(|s| part.rows.contains(&s.start)).collect();
        for (to, span) in mine.iter().enumerate() {
            let from = span.start - part.rows.start;
            part.x.copy_within(from * h..(from + 1) * h, to * h);
            if self.precision == Precision::Int8 {
                part.bytes.copy_within(from * h..(from + 1) * h, to * h);
                part.scales[to] = part.scales[from];
            }
        }
        part.rows.end = part.rows.start + mine.len();
        if mine.is_empty() {
            return;
        }
        let mut queries = std::mem::take(&mut part.wide);
        let target =
            Target { values: fit(&mut queries, mine.len() * h), stride: h, outputs: 0..h, finish: Finish::Plain };
        let mut scratch = std::mem::take(&mut part.products);
        self.product(&self.image.layer(layer).qkv, part.inputs(mine.len(), h, self.precision), &mut scratch, target);
        part.products = scratch;
        let context = fit(&mut part.context, mine.len() * h);
        for (row, span) in mine.into_iter().enumerate() {
            for head in 0..self.config.heads {
                let (column, head) = self.head(head, span, (&queries[row * h..], h, 1), qkv);
                self.isa.attend(head, &mut part.attention, &mut context[row * h + column..], h);
            }
        }
        part.wide = queries;
    }

    /// Output, norm, feed-forward and norm of a part's rows, a block at a time.
    fn feed(&self, part: &mut Part, layer: usize) {
        let (h, f, isa) = (self.config.hidden, self.config.intermediate, self.isa);
        let weights = self.image.layer(layer);
        let bytes = self.precision == Precision::Int8;
        let finish = match self.config.activation {
            Activation::Gelu => Finish::Gelu,
            Activation::GeluTanh => Finish::GeluTanh,
            Activation::Relu => Finish::Relu,
        };
        let count = part.rows.len();
        for first in (0..count).step_by(BLOCK) {
            let rows = first..count.min(first + BLOCK);
            let n = rows.len();
            let hidden = rows.start * h..rows.end * h;
            if bytes {
                let context = &part.context[hidden.clone()];
                fit(&mut part.wide_bytes, n * f.max(h));
                fit(&mut part.wide_scales, n);
                isa.quantise(context, h, &mut part.wide_bytes[..n * h], &mut part.wide_scales[..n]);
            }
            let inputs = (
                &part.context[hidden.clone()],
                part.wide_bytes.get(..n * h).unwrap_or(&[]),
                &part.wide_scales[..if bytes { n } else { 0 }],
            );
            self.product(&weights.out, inputs, &mut part.products, add(&mut part.x[hidden.clone()], h));
            self.layer_norm(part, rows.clone(), self.image.norm(&weights.out_norm, self.config.norm_eps));

            fit(&mut part.wide, n * f);
            let inputs = if bytes {
                (&[][..], &part.bytes[hidden.clone()], &part.scales[rows.clone()])
            } else {
                (&part.x[hidden.clone()], &[][..], &[][..])
            };
            let target = Target { values: &mut part.wide[..n * f], stride: f, outputs: 0..f, finish };
            self.product(&weights.up, inputs, &mut part.products, target);
            if bytes {
                isa.quantise(&part.wide[..n * f], f, &mut part.wide_bytes[..n * f], &mut part.wide_scales[..n]);
            }
            let inputs = if bytes {
                (&[][..], &part.wide_bytes[..n * f], &part.wide_scales[..n])
            } else {
                (&part.wide[..n * f], &[][..], &[][..])
            };
            self.product(&weights.down, inputs, &mut part.products, add(&mut part.x[hidden], h));
            self.layer_norm(part, rows, self.image.norm(&weights.down_norm, self.config.norm_eps));
        }
    }
}

impl Part {
    /// The first rows as a product reads them.
    fn inputs(&self, count: usize, h: usize, precision: Precision) -> Inputs<'_> {
        match precision {
            Precision::F32 => (&self.x[..count * h], &[], &[]),
            Precision::Int8 => (&[], &self.bytes[..count * h], &self.scales[..count]),
        }
    }
}

/// Adds a product to rows of `width`.
fn add(values: &mut [f32], width: usize) -> Target<'_> {
    Target { values, stride: width, outputs: 0..width, finish: Finish::Add }
}

/// Runs a step on every part, side by side if there are several.
fn each<T: Send>(parts: &mut [Part], with: impl Iterator<Item = T>, step: impl Fn(&mut Part, T) + Sync) {
    match parts {
        [only] => with.take(1).for_each(|with| step(only, with)),
        [one, two] => {
            let mut with = with;
            if let (Some(a), Some(b)) = (with.next(), with.next()) {
                rayon::join(|| step(one, a), || step(two, b));
            }
        }
        parts => {
            let work: Vec<(&mut Part, T)> = parts.iter_mut().zip(with).collect();
            work.into_par_iter().with_max_len(1).for_each(|(part, with)| step(part, with));
        }
    }
}
