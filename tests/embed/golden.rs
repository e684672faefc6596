//! Real weights against vectors that other software made of the same weights (`benches/peers/embed/golden.py`).

use crate::support::home;
use kenning::embed::{Choice, Encoder, EncoderSettings, Precision};
use kenning::types::Role;
use serde::Deserialize;

/// Far below what could change a ranking; f32 in another order of operations stays within it.
const TOLERANCE: f32 = 1e-4;

#[derive(Deserialize)]
struct Golden {
    model: String,
    dims: usize,
    texts: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    role: String,
    text: String,
    repeat: Option<usize>,
    tokens: usize,
    truncated: bool,
    components: Vec<f32>,
    probe: f32,
}

/// Both encoders in f32.
fn check(golden: &str) {
    let golden: Golden = serde_json::from_str(golden).unwrap();
    for encoder in [Choice::Candle, Choice::Fused] {
        compare(&golden, encoder);
    }
}

fn f32_by(encoder: Choice) -> EncoderSettings {
    EncoderSettings { encoder, precision: Some(Precision::F32), ..EncoderSettings::default() }
}

fn compare(golden: &Golden, encoder: Choice) {
    let encoder = home::encoder(&golden.model, f32_by(encoder));
    assert_eq!(encoder.dims(), golden.dims);
    for (name, role) in [("query", Role::Query), ("passage", Role::Passage)] {
        let cases: Vec<&Case> = golden.texts.iter().filter(|c| c.role == name).collect();
        let texts: Vec<String> = cases.iter().map(|c| c.text.repeat(c.repeat.unwrap_or(1))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let got = encoder.encode(&texts, role, &mut |_| {}).unwrap();
        assert_eq!(got.len(), cases.len());
        for (got, case) in got.iter().zip(cases) {
            let text = &case.text;
            assert_eq!((got.tokens, got.truncated), (case.tokens, case.truncated), "{text:?}");
            let step = golden.dims / 16;
            for (i, want) in case.components.iter().enumerate() {
                let have = got.vector[i * step];
                assert!((have - want).abs() < TOLERANCE, "{text:?}, component {}: {have}, not {want}", i * step);
            }
            // Every component takes part in the probe.
            let probe: f64 = got.vector.iter().enumerate().map(|(i, v)| f64::from(*v) * ((i + 1) as f64).sin()).sum();
            assert!((probe as f32 - case.probe).abs() < TOLERANCE * 10.0, "{text:?}: {probe}, not {}", case.probe);
            let norm: f32 = got.vector.iter().map(|v| v * v).sum();
            assert!((norm - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn bge_small_as_onnx_runtime_computes_it() {
    check(include_str!("../golden/bge-small-en-v1.5-int8.json"));
}

#[test]
fn minilm_as_numpy_computes_it() {
    check(include_str!("../golden/all-MiniLM-L6-v2.json"));
}

#[test]
fn a_text_means_the_same_alone_and_among_others() {
    for encoder in [Choice::Candle, Choice::Fused] {
        same_alone(&*home::encoder("bge-small-en-v1.5-int8", f32_by(encoder)), 1e-5);
    }
    same_alone(&*home::encoder("bge-small-en-v1.5-int8", EncoderSettings::default()), f32::MIN_POSITIVE);
}

/// In int8 close to f32, and within what the packed weights lose.
#[test]
fn int8_stays_close_to_f32() {
    let exact = home::encoder("bge-small-en-v1.5-int8", f32_by(Choice::Fused));
    let int8 = home::encoder("bge-small-en-v1.5-int8", EncoderSettings::default());
    assert_eq!(int8.running().precision, Precision::Int8);
    assert_ne!(int8.fingerprint(), exact.fingerprint());
    let long = "cannot find value `x` in this scope ".repeat(60);
    let texts = ["a", &long, "", "Error: connect ECONNREFUSED 127.0.0.1:5432", "kubectl logs", &long[..700]];
    let want = exact.encode(&texts, Role::Passage, &mut |_| {}).unwrap();
    let got = int8.encode(&texts, Role::Passage, &mut |_| {}).unwrap();
    for ((got, want), text) in got.iter().zip(want).zip(texts) {
        let cosine: f32 = got.vector.iter().zip(&want.vector).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.998, "{cosine} for {:?}", &text[..text.len().min(30)]);
    }
}

fn same_alone(encoder: &dyn Encoder, tolerance: f32) {
    let long = "cannot find value `x` in this scope ".repeat(60);
    let texts = ["a", &long, "", "Error: connect ECONNREFUSED 127.0.0.1:5432", "kubectl logs", &long[..700]];
    let together = encoder.encode(&texts, Role::Passage, &mut |_| {}).unwrap();
    for (text, among) in texts.iter().zip(&together) {
        let alone = &encoder.encode(&[text], Role::Passage, &mut |_| {}).unwrap()[0];
        let far = crate::support::distance(&alone.vector, &among.vector);
        assert!(far < tolerance, "{far} for {:?}", &text[..text.len().min(30)]);
    }
}

#[test]
fn every_file_of_the_packaged_model_is_pinned_and_right() {
    let installed = home::installed("bge-small-en-v1.5-int8");
    assert_eq!(installed.unpinned(), [""; 0]);
    let checks = home::store().verify("bge-small-en-v1.5-int8").unwrap();
    assert!(checks.iter().all(|c| c.problem.is_none() && c.pinned && c.found == c.expected), "{checks:?}");
}
