//! Cross-encoders: small random ones against candle's BERT with a naive head, a real one against other software.

use crate::support::stub_hub::{Repository, StubHub};
use crate::support::tiny::Tiny;
use crate::support::{home, settings};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert;
use kenning::embed::{
    DEFAULT_RERANKER, EmbedError, EncoderSettings, Installed, Manifest, ModelStore, Precision, Reranker, Source,
    StoreSettings,
};
use kenning::error::{Diagnose, ErrorKind};
use serde::Deserialize;
use tempfile::TempDir;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const QUESTION: &str = "w1 w7 w9";
const TEXTS: [&str; 6] = ["w1 w2 w3", "", "w40", "w5 w6 w5 w6 w5 w6 w5 w6 w5 w6 w5", "w7 w9 w1", "w59 w0"];

/// The model pulled into a store in `dir`, run as `how` says.
fn pull(dir: &TempDir, tiny: &Tiny, how: EncoderSettings) -> (ModelStore, Installed) {
    let source = Source::Hub { repo: "org/tiny".into(), revision: COMMIT.into() };
    pull_as(dir, tiny.files(), tiny.manifest("tiny", vec![source]), how)
}

fn pull_as(
    dir: &TempDir,
    files: Vec<(&'static str, Vec<u8>)>,
    manifest: Manifest,
    how: EncoderSettings,
) -> (ModelStore, Installed) {
    let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
    let repository = Repository { commit: COMMIT.into(), files };
    let hub = StubHub::start(move |request| repository.answer(request));
    let mut settings = StoreSettings { encoder: how, ..settings(dir.path()) };
    settings.hub.endpoint = hub.url.clone();
    settings.manifests = vec![manifest];
    let store = ModelStore::new(settings);
    let installed = store.pull("tiny", &mut |_| {}).unwrap();
    (store, installed)
}

fn load(tiny: &Tiny, precision: Precision, threads: usize) -> Box<dyn Reranker> {
    let dir = TempDir::new().unwrap();
    let how = EncoderSettings { precision: Some(precision), threads: Some(threads), ..EncoderSettings::default() };
    let (store, installed) = pull(&dir, tiny, how);
    store.load_reranker(&installed).unwrap()
}

/// Ids and token types of a pair of texts of known words, put together by hand.
fn pair(question: &str, text: &str) -> (Vec<u32>, Vec<u32>) {
    let words = |text: &str| -> Vec<u32> {
        text.split_whitespace().map(|word| word[1..].parse::<u32>().unwrap() + 4).collect()
    };
    let first = [&[2], &words(question)[..], &[3]].concat();
    let second = [&words(text)[..], &[3]].concat();
    let types = [vec![0; first.len()], vec![1; second.len()]].concat();
    ([first, second].concat(), types)
}

/// The logit as candle's network and loops make it.
fn referee(tiny: &Tiny, question: &str, text: &str) -> f32 {
    let weights = tiny.weights(|_, _| {});
    let tensors = safetensors::SafeTensors::deserialize(&weights).unwrap();
    let values = |name: &str| -> Vec<f32> {
        let bytes = tensors.tensor(name).unwrap().data().to_vec();
        bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
    };
    let vb = VarBuilder::from_buffered_safetensors(weights.clone(), DType::F32, &Device::Cpu).unwrap();
    let (ids, types) = pair(question, text);
    let input = |values: &[u32]| Tensor::new(values, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
    let config: bert::Config = serde_json::from_value(tiny.config()).unwrap();
    let network = bert::BertModel::load(vb.pp("bert"), &config).unwrap();
    let hidden = network.forward(&input(&ids), &input(&types), Some(&input(&ids).ones_like().unwrap())).unwrap();
    let first: Vec<f32> = hidden.squeeze(0).unwrap().to_vec2().unwrap().swap_remove(0);
    let (pooler, pooler_bias) = (values("bert.pooler.dense.weight"), values("bert.pooler.dense.bias"));
    let mut logit = values("classifier.bias")[0];
    for (output, weight) in values("classifier.weight").into_iter().enumerate() {
        let row = &pooler[output * first.len()..][..first.len()];
        let sum: f32 = row.iter().zip(&first).map(|(a, b)| a * b).sum();
        logit += weight * (sum + pooler_bias[output]).tanh();
    }
    logit
}

#[test]
fn logits_are_those_of_the_reference() {
    let tiny = Tiny::reranker();
    let want: Vec<f32> = TEXTS.iter().map(|text| referee(&tiny, QUESTION, text)).collect();
    let spread = want.iter().copied().reduce(f32::max).unwrap() - want.iter().copied().reduce(f32::min).unwrap();
    assert!(spread > 0.1, "texts should differ: {want:?}");
    for (precision, tolerance) in [(Precision::F32, 2e-5), (Precision::Int8, 0.1 * spread)] {
        let got = load(&tiny, precision, 2).score(QUESTION, &TEXTS).unwrap();
        for ((got, want), text) in got.iter().zip(&want).zip(TEXTS) {
            assert!((got - want).abs() < tolerance, "{precision:?} {text:?}: {got}, not {want}");
        }
    }
    // The second text is told apart from the first.
    let swapped = load(&tiny, Precision::F32, 2).score(TEXTS[0], &[QUESTION]).unwrap()[0];
    assert!((swapped - want[0]).abs() > 1e-3, "{swapped}");
}

#[test]
fn a_logit_is_the_same_whatever_else_was_read() {
    let texts: Vec<String> = (0..200).map(|i| format!("w{} ", i % 59).repeat(i % 19)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let want = load(&Tiny::reranker(), Precision::Int8, 1).score(QUESTION, &texts).unwrap();
    for threads in [1, 2, 3] {
        let reranker = load(&Tiny::reranker(), Precision::Int8, threads);
        assert_eq!(reranker.score(QUESTION, &texts).unwrap(), want);
        for at in [0, 1, 18, 199] {
            assert_eq!(reranker.score(QUESTION, &texts[at..=at]).unwrap(), want[at..=at]);
        }
    }
    assert!(load(&Tiny::reranker(), Precision::Int8, 2).score(QUESTION, &[]).unwrap().is_empty());
}

/// 24 tokens: three special ones, the question, and what is left is the text's.
#[test]
fn the_text_is_cut_and_a_question_leaves_it_room() {
    let reranker = load(&Tiny::reranker(), Precision::F32, 1);
    let score = |question: &str, text: &str| reranker.score(question, &[text]).unwrap()[0];
    let fits = "w5 ".repeat(24 - 3 - 3);
    assert_eq!(score(QUESTION, &fits), score(QUESTION, &format!("{fits} w9 w8")));
    assert_ne!(score(QUESTION, &fits), score(QUESTION, &fits[3..]));
    assert!((score(QUESTION, &fits) - referee(&Tiny::reranker(), QUESTION, &fits)).abs() < 2e-5);
    let long = "w5 ".repeat(100_000);
    assert_eq!(score(&long, "w1 w2"), score(&"w5 ".repeat(10), "w1 w2"), "ten of 21");
    assert_ne!(score(&long, "w1 w2"), score(&long, "w2 w1"));
}

#[test]
fn encoders_and_rerankers_are_not_taken_for_each_other() {
    let dir = TempDir::new().unwrap();
    let (store, reranker) = pull(&dir, &Tiny::reranker(), EncoderSettings::default());
    let error = store.load(&reranker).err().unwrap();
    assert!(matches!(error, EmbedError::WrongKind { .. }) && error.kind() == ErrorKind::Usage);
    assert_eq!(error.to_string(), "tiny is a reranker, not an encoder");
    assert!(error.hint().unwrap().contains("ken search --rerank"));
    let dir = TempDir::new().unwrap();
    let (store, encoder) = pull(&dir, &Tiny::bert(), EncoderSettings::default());
    assert_eq!(store.load_reranker(&encoder).err().unwrap().to_string(), "tiny is an encoder, not a reranker");
}

#[test]
fn weights_that_are_not_numbers_are_an_error_and_name_the_text() {
    let tiny = Tiny::reranker();
    let mut files = tiny.files();
    files[2].1 = tiny.weights(|name, values| {
        if name == "bert.embeddings.word_embeddings.weight" {
            values[10 * 64] = f32::NAN; // Row 10 is the word w6.
        }
    });
    let source = Source::Hub { repo: "org/tiny".into(), revision: COMMIT.into() };
    let mut manifest = tiny.manifest("tiny", vec![source]);
    manifest.files[2].sha256 = None;
    let dir = TempDir::new().unwrap();
    let (store, installed) = pull_as(&dir, files, manifest, EncoderSettings::default());
    let reranker = store.load_reranker(&installed).unwrap();
    reranker.score("w1", &["w1", "w2"]).unwrap();
    match reranker.score("w1", &["w1", "w6"]) {
        Err(EmbedError::BadVector { index: 1, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[derive(Deserialize)]
struct Golden {
    model: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    question: String,
    texts: Vec<Read>,
}

#[derive(Deserialize)]
struct Read {
    text: String,
    exact: f32,
    int8: f32,
}

/// Real weights against logits that other software made of them (`benches/peers/embed/golden_rerank.py`).
#[test]
fn minilm_as_other_software_computes_it() {
    let golden: Golden = serde_json::from_str(include_str!("../golden/ms-marco-MiniLM-L-12-v2-int8.json")).unwrap();
    assert_eq!(golden.model, DEFAULT_RERANKER);
    let installed = home::installed(&golden.model);
    assert_eq!(installed.unpinned(), [""; 0]);
    // ONNX Runtime's own 8-bit activations are off by up to 0.4.
    for (precision, tolerance) in [(Precision::F32, 2e-3), (Precision::Int8, 0.5)] {
        let how = EncoderSettings { precision: Some(precision), ..EncoderSettings::default() };
        let store = ModelStore::new(StoreSettings { encoder: how, ..home::settings() });
        let reranker = store.load_reranker(&installed).unwrap();
        for case in &golden.cases {
            let texts: Vec<&str> = case.texts.iter().map(|read| read.text.as_str()).collect();
            let got = reranker.score(&case.question, &texts).unwrap();
            for (got, want) in got.iter().zip(&case.texts) {
                let text: String = want.text.chars().take(40).collect();
                assert!((got - want.exact).abs() < tolerance, "{precision:?} {text:?}: {got}, not {}", want.exact);
            }
            // What is clearly better for ONNX Runtime is better here.
            for (a, want_a) in got.iter().zip(&case.texts) {
                for (b, want_b) in got.iter().zip(&case.texts) {
                    assert!(want_a.int8 < want_b.int8 + 0.5 || a > b, "{precision:?} {:?}", case.question);
                }
            }
        }
    }
}
