//! The reference encoder: what it adds to the models of candle, which are its referee here too. Batches, order,
//! pooling, limits.

use crate::support::tiny::{HIDDEN, Tiny};
use crate::support::{distance, store};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{bert, xlm_roberta};
use kenning::embed::{EmbedError, Encoder};
use kenning::types::Role;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

const TEXTS: [&str; 6] = ["w1 w2 w3", "", "w40", "w5 w6 w5 w6 w5 w6 w5 w6 w5 w6 w5", "unknown words only", "w59 w0"];

fn make(tiny: &Tiny) -> (TempDir, Box<dyn Encoder>) {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("tiny");
    tiny.write(&model);
    let store = store(dir.path());
    let encoder = store.load(&store.find(model.to_str().unwrap()).unwrap().unwrap()).unwrap();
    (dir, encoder)
}

/// Ids as the tokenizer gives them without its own truncation and padding.
fn ids(dir: &Path, text: &str) -> Vec<u32> {
    let mut tokenizer = tokenizers::Tokenizer::from_file(dir.join("tokenizer.json")).unwrap();
    tokenizer.with_padding(None).with_truncation(None).unwrap();
    tokenizer.encode(text, true).unwrap().get_ids().to_vec()
}

/// Hidden states of one text by candle's model, then pooled and normalised naively.
fn referee(tiny: &Tiny, dir: &Path, text: &str) -> Vec<f32> {
    let ids = ids(dir, text);
    let weights = std::fs::read(dir.join("model.safetensors")).unwrap();
    let vb = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu).unwrap();
    let input = Tensor::new(&ids[..], &Device::Cpu).unwrap().unsqueeze(0).unwrap();
    let types = input.zeros_like().unwrap();
    let mask = input.ones_like().unwrap();
    let hidden = match tiny.architecture {
        kenning::embed::Architecture::Bert => {
            let config: bert::Config = serde_json::from_value(tiny.config()).unwrap();
            bert::BertModel::load(vb, &config).unwrap().forward(&input, &types, Some(&mask)).unwrap()
        }
        kenning::embed::Architecture::XlmRoberta => {
            let config: xlm_roberta::Config = serde_json::from_value(tiny.config()).unwrap();
            let model = xlm_roberta::XLMRobertaModel::new(&config, vb).unwrap();
            model.forward(&input, &mask, &types, None, None, None).unwrap()
        }
    };
    let rows: Vec<Vec<f32>> = hidden.squeeze(0).unwrap().to_vec2().unwrap();
    let mut vector = match tiny.pooling {
        "cls" => rows[0].clone(),
        _ => (0..HIDDEN).map(|c| rows.iter().map(|r| r[c]).sum::<f32>() / rows.len() as f32).collect(),
    };
    let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|v| *v /= norm);
    vector
}

fn agrees_with_candle(tiny: &Tiny) {
    let (dir, encoder) = make(tiny);
    let got = encoder.encode(&TEXTS, Role::Passage, &mut |_| {}).unwrap();
    for (text, got) in TEXTS.iter().zip(got) {
        let want = referee(tiny, &dir.path().join("tiny"), text);
        let far = distance(&got.vector, &want);
        assert!(far < 2e-6, "{:?} {text:?}: {far}", tiny.architecture);
    }
}

#[test]
fn bert_with_either_pooling_and_every_activation() {
    for pooling in ["cls", "mean"] {
        agrees_with_candle(&Tiny { pooling, ..Tiny::bert() });
    }
    agrees_with_candle(&Tiny { activation: "relu", ..Tiny::bert() });
}

#[test]
fn xlm_roberta_with_either_pooling() {
    for pooling in ["cls", "mean"] {
        agrees_with_candle(&Tiny { pooling, ..Tiny::xlm_roberta() });
    }
}

/// A padding token that somebody wrote has the padding position, and those after it count on without it.
#[test]
fn xlm_roberta_with_a_padding_token_in_the_text() {
    let tiny = Tiny::xlm_roberta();
    let (dir, encoder) = make(&tiny);
    let text = "w1 <pad> w2";
    assert!(ids(&dir.path().join("tiny"), text).contains(&1));
    let got = encoder.encode(&[text], Role::Passage, &mut |_| {}).unwrap();
    // The referee's attention mask is all ones here, as the tokenizer's would be.
    assert!(distance(&got[0].vector, &referee(&tiny, &dir.path().join("tiny"), text)) < 2e-6);
}

#[test]
fn a_batch_gives_what_single_texts_give_in_their_order() {
    for tiny in [Tiny::bert(), Tiny::xlm_roberta()] {
        let (_dir, encoder) = make(&tiny);
        // More tokens than one batch holds, lengths mixed.
        let texts: Vec<String> = (0..700).map(|i| format!("w{} ", i % 59).repeat(i % 19)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut heard = Vec::new();
        let all = encoder.encode(&texts, Role::Query, &mut |done| heard.push(done)).unwrap();
        assert_eq!(all.len(), 700);
        assert!(heard.len() > 2 && heard.is_sorted() && heard.last() == Some(&700), "{heard:?}");
        for i in [0, 1, 18, 333, 699] {
            let single = &encoder.encode(&texts[i..=i], Role::Query, &mut |_| {}).unwrap()[0];
            assert_eq!(single.tokens, all[i].tokens);
            let far = distance(&single.vector, &all[i].vector);
            assert!(far < 1e-6, "text {i}: {far}");
        }
        assert!(encoder.encode(&[], Role::Query, &mut |_| panic!("nothing was done")).unwrap().is_empty());
    }
}

#[test]
fn long_texts_are_cut_at_the_limit_and_say_so() {
    for (tiny, limit) in [
        (Tiny::bert(), 24),
        (Tiny::xlm_roberta(), 24), // 26 positions, the first two unused
        (Tiny { max_seq_length: Some(8), ..Tiny::bert() }, 8),
        (Tiny { max_seq_length: Some(512), ..Tiny::bert() }, 24),
    ] {
        let (_dir, encoder) = make(&tiny);
        assert_eq!(encoder.max_tokens(), limit);
        let texts = ["w1 ".repeat(limit - 2), "w1 ".repeat(limit - 1), "w1 ".repeat(1_000_000)];
        let out = encoder.encode(&texts.each_ref().map(String::as_str), Role::Passage, &mut |_| {}).unwrap();
        let seen: Vec<_> = out.iter().map(|e| (e.tokens, e.truncated)).collect();
        assert_eq!(seen, [(limit, false), (limit, true), (limit, true)]);
        // What was cut off makes no difference.
        assert!(distance(&out[0].vector, &out[1].vector) < 1e-6 && distance(&out[0].vector, &out[2].vector) < 1e-6);
    }
}

#[test]
fn prefixes_by_role_and_what_they_cost() {
    let tiny = Tiny { prompts: json!({"query": "w1 w2 ", "document": "w3 "}), ..Tiny::bert() };
    let (_dir, encoder) = make(&tiny);
    let (_plain_dir, plain) = make(&Tiny::bert());
    let one = |encoder: &dyn Encoder, text: &str, role| encoder.encode(&[text], role, &mut |_| {}).unwrap().remove(0);
    assert_eq!(one(&*encoder, "w9", Role::Query), one(&*plain, "w1 w2 w9", Role::Query));
    assert_eq!(one(&*encoder, "w9", Role::Passage), one(&*plain, "w3 w9", Role::Passage));
    assert_eq!(encoder.overhead_tokens(Role::Query), 4);
    assert_eq!(encoder.overhead_tokens(Role::Passage), 3);
    assert_eq!(plain.overhead_tokens(Role::Query), 2);
    assert_eq!(encoder.count_tokens("w9 w9 nothing").unwrap(), 3);
    assert_eq!(encoder.count_tokens(&"w1 ".repeat(500)).unwrap(), 500);
    // The passage prefix decides stored vectors, the query prefix does not.
    assert_ne!(encoder.fingerprint(), plain.fingerprint());
    let (_dir, other) = make(&Tiny { prompts: json!({"query": "w7 ", "document": "w3 "}), ..Tiny::bert() });
    assert_eq!(encoder.fingerprint(), other.fingerprint());
}

#[test]
fn weights_that_are_not_numbers_are_an_error_and_name_the_text() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("tiny");
    let tiny = Tiny::bert();
    tiny.write(&model);
    let weights = tiny.weights(|name, values| {
        if name == "embeddings.word_embeddings.weight" {
            values[10 * HIDDEN] = f32::NAN; // Row 10 is the word w6.
        }
    });
    std::fs::write(model.join("model.safetensors"), weights).unwrap();
    let store = store(dir.path());
    let encoder = store.load(&store.find(model.to_str().unwrap()).unwrap().unwrap()).unwrap();
    encoder.encode(&["w1"], Role::Passage, &mut |_| {}).unwrap();
    match encoder.encode(&["w1", "w6"], Role::Passage, &mut |_| {}) {
        Err(EmbedError::BadVector { index: 1, .. }) => {}
        other => panic!("{other:?}"),
    }
}
