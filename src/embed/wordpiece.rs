//! BERT's tokenizer (Devlin et al., 2019) in a form that is ready when it is mapped.
//!
//! Reading `tokenizer.json` takes longer than a query. For the usual kind of file (BERT's normalizer and word
//! splitting, greedy longest pieces) everything that decides the ids is written to one derived file: a hash table of
//! the pieces, and what each character below [`CHARS`] becomes, as the real normalizer says, with blanks around what
//! stands alone. A text is then mapped character by character, split at blanks, and each word is cut into the longest
//! pieces from the left. Texts with other characters, or with the name of a special token in them, are left to the real
//! tokenizer; the tests hold this one to it.

use super::hash;
use crate::map::{Bytes, HEADER, Label, write_aside};
use serde_json::Value;
use std::path::Path;
use tokenizers::{NormalizedString, Normalizer, Tokenizer};

/// Version of the layout and of what is done to a text.
const FORMAT: u32 = 1;
/// Characters from here on are left to the real tokenizer: CJK and beyond.
const CHARS: u32 = 0x3000;
/// A word of more characters is unknown.
const MOST_CHARS: usize = 100;

/// What was learnt from the file of a tokenizer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Facts {
    /// The highest id.
    pub highest: u32,
    /// Ids before a text.
    pub before: Vec<u32>,
    /// Ids after a text.
    pub after: Vec<u32>,
}

/// The compact tokenizer; where it cannot replace the real one, only what was learnt from that.
pub(crate) struct WordPiece {
    bytes: Bytes,
    facts: Facts,
    names: Vec<String>,
    sections: [std::ops::Range<usize>; 5],
    unknown: u32,
    longest: usize,
    usable: bool,
}

/// Numbers at the start of the body.
const NUMBERS: usize = 16;

const SLOTS: usize = 0;
const PIECE_ENDS: usize = 1;
const PIECES: usize = 2;
const CHAR_ENDS: usize = 3;
const CHAR_TEXTS: usize = 4;

/// Start of a piece that begins a word and of one that goes on.
const SEEDS: [u32; 2] = [0x811c_9dc5, 0x01c9_dc51];

/// One byte further: FNV-1a.
fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// Spreads a hash over the table.
fn place(hash: u32, slots: usize) -> usize {
    (hash.wrapping_mul(0x9e37_79b1) >> 8) as usize & (slots - 1)
}

fn label(digest: &str) -> Label {
    Label::new(b"KENWORDS", FORMAT, &hash::of_bytes(format!("tokenizer {digest}\n").as_bytes()))
}

impl WordPiece {
    /// The file at `path`, if it was made from the tokenizer with this digest.
    pub(crate) fn open(path: &Path, digest: &str) -> Option<Self> {
        Self::read(label(digest).open(path)?)
    }

    /// Makes it from the file's text and the tokenizer read from it, and keeps it at `path` if that can be.
    pub(crate) fn make(
        json: &[u8],
        real: &Tokenizer,
        facts: &Facts,
        digest: &str,
        path: Option<&Path>,
    ) -> Option<Self> {
        let file: Value = serde_json::from_slice(json).ok()?;
        let model = suitable(&file, real);
        let mut body = Body::default();
        let names = file["added_tokens"].as_array().map_or(&[][..], Vec::as_slice);
        let names: Vec<&str> = names.iter().filter_map(|token| token["content"].as_str()).collect();
        if let Some((unknown, vocab)) = &model {
            body.pieces(vocab);
            body.characters(real)?;
            body.unknown = *unknown;
        }
        let words = body.words(facts, &names, model.is_some());
        let bytes = label(digest).seal(words);
        if let Some(path) = path {
            let _ = write_aside(path, bytes.get()); // A read-only store only costs the making again.
        }
        Self::read(bytes)
    }

    /// Reads a sealed file: its checksum has been compared, so the numbers are as they were written.
    fn read(bytes: Bytes) -> Option<Self> {
        let all = bytes.get();
        let numbers: &[u32] = bytemuck::try_cast_slice(all.get(HEADER..HEADER + 4 * NUMBERS)?).ok()?;
        let mut at = HEADER + 4 * NUMBERS;
        let mut next = |len: u32| {
            let start = at;
            at = (start + len as usize).next_multiple_of(4);
            start..start + len as usize
        };
        let sections = [6, 7, 8, 9, 10].map(|i| next(numbers[i]));
        let [before, after, names] = [next(4 * numbers[1]), next(4 * numbers[2]), next(numbers[3])];
        let ids = |place| Some(bytemuck::try_cast_slice(all.get(place)?).ok()?.to_vec());
        let facts = Facts { highest: numbers[0], before: ids(before)?, after: ids(after)? };
        let names = std::str::from_utf8(all.get(names)?).ok()?;
        let names = names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let (unknown, longest, usable) = (numbers[4], numbers[5] as usize, numbers[11] == 1);
        Some(Self { facts, names, sections, unknown, longest, usable, bytes })
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    fn section(&self, which: usize) -> &[u8] {
        &self.bytes.get()[self.sections[which].clone()]
    }

    /// The ids of a text without special tokens; `None` if that is for the real tokenizer to say.
    pub(crate) fn encode(&self, text: &str) -> Option<Vec<u32>> {
        if !self.usable || self.names.iter().any(|name| text.contains(name.as_str())) {
            return None;
        }
        let ends: &[u32] = bytemuck::cast_slice(self.section(CHAR_ENDS));
        let texts = self.section(CHAR_TEXTS);
        let mut plain = Vec::with_capacity(text.len() + text.len() / 4);
        for c in text.chars() {
            let at = c as usize;
            let end = *ends.get(at + 1)? as usize;
            plain.extend_from_slice(&texts[ends[at] as usize..end]);
        }
        let table = Table {
            slots: bytemuck::cast_slice(self.section(SLOTS)),
            ends: bytemuck::cast_slice(self.section(PIECE_ENDS)),
            pieces: self.section(PIECES),
            longest: self.longest,
        };
        let mut ids = Vec::with_capacity(plain.len() / 4);
        for word in plain.split(|byte| *byte == b' ').filter(|word| !word.is_empty()) {
            let start = ids.len();
            let chars = if word.len() <= MOST_CHARS { 0 } else { word.iter().filter(|b| **b & 0xc0 != 0x80).count() };
            if chars > MOST_CHARS || !table.cut(word, &mut ids) {
                ids.truncate(start);
                ids.push(self.unknown);
            }
        }
        Some(ids)
    }
}

/// The pieces, found by hash.
struct Table<'a> {
    /// Hash and id + 1; 0 is empty. The number of slots is a power of two, and some are empty.
    slots: &'a [[u32; 2]],
    /// Where the text of id i ends, the first entry being 0.
    ends: &'a [u32],
    pieces: &'a [u8],
    longest: usize,
}

impl Table<'_> {
    /// Adds the pieces of a word; no if some part of it is no piece.
    fn cut(&self, word: &[u8], ids: &mut Vec<u32>) -> bool {
        let mut start = 0;
        while start < word.len() {
            let rest = &word[start..word.len().min(start + self.longest)];
            let mut hash = SEEDS[usize::from(start > 0)];
            let mut best = None;
            for (i, byte) in rest.iter().enumerate() {
                hash = step(hash, *byte);
                // Longest wins, so every length is tried; most have no such hash.
                if let Some(id) = self.find(hash, &rest[..=i], start > 0) {
                    best = Some((id, i + 1));
                }
            }
            let Some((id, len)) = best else { return false };
            ids.push(id);
            start += len;
        }
        true
    }

    fn find(&self, hash: u32, piece: &[u8], goes_on: bool) -> Option<u32> {
        let mut at = place(hash, self.slots.len());
        loop {
            let [found, id] = self.slots[at];
            if id == 0 {
                return None;
            }
            if found == hash {
                let id = id - 1;
                let text = &self.pieces[self.ends[id as usize] as usize..self.ends[id as usize + 1] as usize];
                if text.split_first() == Some((&u8::from(goes_on), piece)) {
                    return Some(id);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }
}

/// Id of the unknown token and the pieces with their ids, if the file is of the kind that this module knows.
fn suitable(file: &Value, real: &Tokenizer) -> Option<(u32, Vec<(String, u32)>)> {
    let model = &file["model"];
    let fits = file["normalizer"]["type"] == "BertNormalizer"
        && file["normalizer"]["clean_text"] == true
        && file["pre_tokenizer"]["type"] == "BertPreTokenizer"
        && (model["type"] == "WordPiece" || model["type"].is_null())
        && model["continuing_subword_prefix"] == "##"
        && model["max_input_chars_per_word"] == MOST_CHARS;
    let mut added = file["added_tokens"].as_array().into_iter().flatten();
    if !fits || added.any(|token| token["normalized"] != false || token["single_word"] != false) {
        return None;
    }
    let vocab = model["vocab"].as_object()?;
    let vocab: Vec<(String, u32)> = vocab
        .iter()
        .map(|(piece, id)| Some((piece.clone(), u32::try_from(id.as_u64()?).ok()?)))
        .collect::<Option<_>>()?;
    let unknown = real.token_to_id(model["unk_token"].as_str()?)?;
    // Ids are places in a list: they must be nearly dense, and each stands once.
    let mut ids: Vec<u32> = vocab.iter().map(|(_, id)| *id).collect();
    ids.sort_unstable();
    let dense = ids.windows(2).all(|pair| pair[0] < pair[1]) && *ids.last()? < 2 * ids.len() as u32 + 1000;
    dense.then_some((unknown, vocab))
}

/// The body of the file in the making.
#[derive(Default)]
struct Body {
    slots: Vec<[u32; 2]>,
    piece_ends: Vec<u32>,
    pieces: Vec<u8>,
    char_ends: Vec<u32>,
    char_texts: Vec<u8>,
    longest: u32,
    unknown: u32,
}

impl Body {
    fn pieces(&mut self, vocab: &[(String, u32)]) {
        let mut by_id = vec![None; vocab.iter().map(|(_, id)| *id as usize + 1).max().unwrap_or(0)];
        vocab.iter().for_each(|(piece, id)| by_id[*id as usize] = Some(piece.as_str()));
        self.slots = vec![[0, 0]; (2 * vocab.len()).next_power_of_two().max(16)];
        self.piece_ends.push(0);
        for (id, piece) in (0u32..).zip(by_id) {
            if let Some(piece) = piece {
                let (goes_on, text) = piece.strip_prefix("##").map_or((0, piece), |rest| (1, rest));
                let hash = text.bytes().fold(SEEDS[goes_on], step);
                let mut at = place(hash, self.slots.len());
                while self.slots[at][1] != 0 {
                    at = (at + 1) & (self.slots.len() - 1);
                }
                self.slots[at] = [hash, id + 1];
                self.pieces.push(goes_on as u8);
                self.pieces.extend_from_slice(text.as_bytes());
                self.longest = self.longest.max(text.len() as u32);
            }
            self.piece_ends.push(self.pieces.len() as u32);
        }
    }

    /// What each character becomes, asked of the real normalizer, with blanks around those that are words alone.
    fn characters(&mut self, real: &Tokenizer) -> Option<()> {
        self.char_ends.push(0);
        for code in 0..CHARS {
            if let Some(c) = char::from_u32(code) {
                let mut normal = NormalizedString::from(c.to_string());
                real.get_normalizer()?.normalize(&mut normal).ok()?;
                for c in normal.get().chars() {
                    if c.is_whitespace() {
                        self.char_texts.push(b' ');
                    } else if stands_alone(real, c) {
                        self.char_texts.extend_from_slice(format!(" {c} ").as_bytes());
                    } else {
                        self.char_texts.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
            }
            self.char_ends.push(self.char_texts.len() as u32);
        }
        Some(())
    }

    /// Header and body; the header is filled in later.
    fn words(&self, facts: &Facts, names: &[&str], usable: bool) -> Vec<u64> {
        let names = names.join("\0");
        let parts: [&[u8]; 8] = [
            bytemuck::cast_slice(&self.slots),
            bytemuck::cast_slice(&self.piece_ends),
            &self.pieces,
            bytemuck::cast_slice(&self.char_ends),
            &self.char_texts,
            bytemuck::cast_slice(&facts.before),
            bytemuck::cast_slice(&facts.after),
            names.as_bytes(),
        ];
        let mut numbers = [0u32; NUMBERS];
        numbers[..6].copy_from_slice(&[
            facts.highest,
            facts.before.len() as u32,
            facts.after.len() as u32,
            names.len() as u32,
            self.unknown,
            self.longest,
        ]);
        parts[..5].iter().zip(&mut numbers[6..]).for_each(|(part, number)| *number = part.len() as u32);
        numbers[11] = u32::from(usable);
        let mut bytes = vec![0; HEADER];
        bytes.extend_from_slice(bytemuck::cast_slice(&numbers));
        for part in parts {
            bytes.extend_from_slice(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect()
    }
}

/// Whether the real word splitting makes a word of this character alone.
fn stands_alone(real: &Tokenizer, c: char) -> bool {
    use tokenizers::{PreTokenizedString, PreTokenizer};
    let mut text = PreTokenizedString::from(format!("a{c}a"));
    let split = real.get_pre_tokenizer().is_some_and(|splitter| splitter.pre_tokenize(&mut text).is_ok());
    split && text.get_splits(tokenizers::OffsetReferential::Original, tokenizers::OffsetType::Byte).len() == 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::sync::LazyLock;

    /// A tokenizer of BERT's kind over a small vocabulary.
    fn file(lowercase: bool, strip: Value) -> Vec<u8> {
        let mut pieces: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(str::to_owned).to_vec();
        let alphabet = ('!'..='~').chain("éßñαβ中ж’“”—…│←\u{301}".chars());
        for c in alphabet {
            pieces.push(c.to_string());
            pieces.push(format!("##{c}"));
        }
        for word in ["ab", "abc", "##abc", "##bc", "error", "err", "##or", "cafe", "Cafe", "ca", "##fe"] {
            pieces.push(word.to_owned());
        }
        let mut vocab: Vec<(String, usize)> = Vec::new();
        for piece in pieces {
            if vocab.iter().all(|(known, _)| *known != piece) {
                vocab.push((piece, vocab.len() + 3));
            }
        }
        let id = |name: &str| vocab.iter().find(|(piece, _)| piece == name).unwrap().1;
        let added: Vec<Value> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
            .iter()
            .map(|name| {
                json!({"id": id(name), "content": name, "single_word": false, "lstrip": false, "rstrip": false,
                       "normalized": false, "special": true})
            })
            .collect();
        let token = |name: &str| json!({"SpecialToken": {"id": name, "type_id": 0}});
        let ids = |name: &str| json!({"id": name, "ids": [id(name)], "tokens": [name]});
        let json = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                           "strip_accents": strip, "lowercase": lowercase},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "TemplateProcessing",
                "single": [token("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, token("[SEP]")],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
                "special_tokens": {"[CLS]": ids("[CLS]"), "[SEP]": ids("[SEP]")}},
            "decoder": null,
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100,
                      "vocab": vocab.iter().cloned().collect::<std::collections::HashMap<_, _>>()}
        });
        serde_json::to_vec(&json).unwrap()
    }

    fn pair(lowercase: bool, strip: Value) -> (WordPiece, Tokenizer) {
        let json = file(lowercase, strip);
        let real = Tokenizer::from_bytes(&json).unwrap();
        let facts = Facts { highest: 9, before: vec![5], after: vec![6, 7] };
        let made = WordPiece::make(&json, &real, &facts, "d", None).unwrap();
        assert_eq!(*made.facts(), facts);
        (made, real)
    }

    static PAIRS: LazyLock<Vec<(WordPiece, Tokenizer)>> =
        LazyLock::new(|| vec![pair(true, Value::Null), pair(false, Value::Null), pair(false, json!(true))]);

    /// Whether the text was ours to cut; if so it was cut as the real one does.
    fn same(text: &str) -> bool {
        let mut ours = true;
        for (compact, real) in PAIRS.iter() {
            let want = real.encode_fast(text, false).unwrap().get_ids().to_vec();
            match compact.encode(text) {
                Some(got) => assert_eq!(got, want, "{text:?}"),
                None => ours = false,
            }
        }
        ours
    }

    #[test]
    fn texts_that_are_hard() {
        let long = "a".repeat(100);
        let longer = format!("{long}b");
        let marks = format!("e{}", "\u{301}".repeat(150));
        for text in [
            "",
            " ",
            "abc abcabc xabc",
            "Error: errors, ERROR!",
            "café CAFÉ Cafe\u{301}",
            "a\tb\nc\rd\u{b}e\u{c}f\0g\u{7f}h",
            "it’s “quoted” — …",
            "│ x ← y",
            "a\u{a0}b\u{2003}c\u{200b}d\u{ad}e",
            "İstanbul ẞ ß",
            "αβΣς ж",
            "##ab #ab ab##",
            &long,
            &longer,
            &marks,
            "[ unk ] [unk] [SE P]",
            "\u{feff}".trim_start_matches('\u{feff}'),
            "x_y-z/1.2~3^4`5",
        ] {
            assert!(same(text), "{text:?} was left to the real one");
        }
        for text in ["中文", "a [SEP] b", "[UNK]", "😀", "\u{fffd}"] {
            assert!(!same(text), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn any_text(text in prop_oneof!["\\PC{0,40}", "[ -~\\n\\t]{0,60}", "[aberocf éÉß’#\\[\\]\u{300}-\u{303}\u{0}-\u{20}]{0,60}",
                                       "[\u{80}-\u{2fff}]{0,30}"]) {
            same(&text);
        }
    }

    #[test]
    fn other_kinds_are_left_alone() {
        let json = String::from_utf8(file(true, Value::Null)).unwrap();
        let real = Tokenizer::from_bytes(json.as_bytes()).unwrap();
        for (from, to) in [
            ("\"normalized\":false", "\"normalized\":true"),
            ("\"##\"", "\"@@\""),
            ("\"clean_text\":true", "\"clean_text\":false"),
        ] {
            let other = json.replace(from, to);
            assert_ne!(other, json);
            let made = WordPiece::make(other.as_bytes(), &real, &Facts::default(), "d", None).unwrap();
            assert_eq!(made.encode("abc"), None);
        }
    }
}
