//! The fast encoder against the reference on small random models; itself on other threads, instructions and batches;
//! its file of packed weights.

use crate::support::tiny::Tiny;
use crate::support::{distance, settings};
use kenning::embed::{Choice, EmbedError, Encoder, EncoderSettings, ModelStore, Precision, StoreSettings};
use kenning::types::Role;
use kenning::vector::simd::Isa;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A shape that the fast encoder runs.
fn small(tiny: Tiny) -> Tiny {
    Tiny { shape: (64, 4, 96), ..tiny }
}

fn model(tiny: &Tiny) -> TempDir {
    let dir = TempDir::new().unwrap();
    tiny.write(&dir.path().join("tiny"));
    dir
}

fn try_load(dir: &Path, how: EncoderSettings) -> Result<Box<dyn Encoder>, EmbedError> {
    let store = ModelStore::new(StoreSettings { encoder: how, ..settings(dir) });
    store.load(&store.find(dir.join("tiny").to_str().unwrap()).unwrap().unwrap())
}

fn load(dir: &TempDir, encoder: Choice, precision: Precision) -> Box<dyn Encoder> {
    try_load(dir.path(), EncoderSettings { encoder, precision: Some(precision), ..EncoderSettings::default() }).unwrap()
}

fn vectors(encoder: &dyn Encoder, texts: &[&str]) -> Vec<Vec<f32>> {
    encoder.encode(texts, Role::Passage, &mut |_| {}).unwrap().into_iter().map(|e| e.vector).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

const TEXTS: [&str; 6] = ["w1 w2 w3", "", "w40", "w5 w6 w5 w6 w5 w6 w5 w6 w5 w6 w5", "unknown words only", "w59 w0"];

fn agrees(tiny: &Tiny, tolerance: f32, least_cosine: f32) {
    let dir = model(tiny);
    let reference = load(&dir, Choice::Candle, Precision::F32);
    let exact = load(&dir, Choice::Fused, Precision::F32);
    let int8 = load(&dir, Choice::Fused, Precision::Int8);
    assert_eq!((exact.running().encoder, int8.running().precision), ("fused", Precision::Int8));
    assert_eq!(reference.fingerprint(), exact.fingerprint());
    assert_ne!(reference.fingerprint(), int8.fingerprint());
    let want = vectors(&*reference, &TEXTS);
    for (i, (exact, int8)) in vectors(&*exact, &TEXTS).iter().zip(vectors(&*int8, &TEXTS)).enumerate() {
        let far = distance(exact, &want[i]);
        assert!(far < tolerance, "{tiny:?} {:?}: {far}", TEXTS[i]);
        let near = cosine(&int8, &want[i]);
        assert!(near > least_cosine, "{tiny:?} {:?}: {near}", TEXTS[i]);
    }
}

#[test]
fn every_kind_of_model_as_the_reference_computes_it() {
    for pooling in ["cls", "mean"] {
        agrees(&Tiny { pooling, ..small(Tiny::bert()) }, 3e-6, 0.999);
        agrees(&Tiny { pooling, ..small(Tiny::xlm_roberta()) }, 3e-6, 0.999);
    }
    for activation in ["relu", "gelu_new"] {
        agrees(&Tiny { activation, ..small(Tiny::bert()) }, 3e-6, 0.999);
    }
}

/// bge-base, bge-large and bge-m3 in width, in random weights.
#[test]
fn wide_models_as_the_reference_computes_them() {
    agrees(&Tiny { shape: (768, 12, 3072), ..Tiny::bert() }, 3e-6, 0.999);
    agrees(&Tiny { shape: (1024, 16, 4096), ..Tiny::xlm_roberta() }, 3e-6, 0.999);
}

/// Bit by bit: alone, among others, on other threads, with other instructions.
#[test]
fn a_vector_is_the_same_whatever_surrounds_it() {
    for tiny in [small(Tiny::bert()), small(Tiny::xlm_roberta())] {
        let dir = model(&tiny);
        // Enough for many batches, lengths mixed.
        let texts: Vec<String> = (0..300).map(|i| format!("w{} ", i % 59).repeat(i % 19)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for precision in [Precision::Int8, Precision::F32] {
            let how = |threads, isa| EncoderSettings {
                encoder: Choice::Fused,
                precision: Some(precision),
                threads: Some(threads),
                question_threads: Some(threads),
                isa: Isa::named(isa),
            };
            let first = try_load(dir.path(), how(1, Isa::detect().name())).unwrap();
            let want = vectors(&*first, &texts);
            for name in Isa::NAMES.into_iter().filter(|name| Isa::named(name).is_some()) {
                // Plain code is slow where it has to round like the rest.
                let count = if name == "scalar" { 24 } else { texts.len() };
                for threads in [1, 2, 3] {
                    let encoder = try_load(dir.path(), how(threads, name)).unwrap();
                    assert_eq!((encoder.running().kernel, encoder.running().threads), (name, threads));
                    assert!(vectors(&*encoder, &texts[..count]) == want[..count], "{name} {threads}");
                    for at in [0, 1, 18, count - 1] {
                        assert_eq!(vectors(&*encoder, &texts[at..=at])[0], want[at]);
                    }
                    assert_eq!(vectors(&*encoder, &texts[4..9]), want[4..9]);
                }
            }
        }
    }
}

/// Bit by bit: both sides of a question together, by one thread or several, alone or beside others.
#[test]
fn both_sides_together_are_the_same_vectors() {
    let prompts = serde_json::json!({"query": "w1 w2 ", "document": "w3 "});
    let dir = model(&Tiny { prompts, ..small(Tiny::bert()) });
    let roles = [Role::Passage, Role::Query, Role::Passage];
    for precision in [Precision::Int8, Precision::F32] {
        let how = |question_threads| EncoderSettings {
            precision: Some(precision),
            threads: Some(2),
            question_threads,
            ..EncoderSettings::default()
        };
        for threads in [None, Some(1), Some(2), Some(9)] {
            let encoder = try_load(dir.path(), how(threads)).unwrap();
            let want = roles.map(|role| encoder.encode(&TEXTS, role, &mut |_| {}).unwrap());
            assert_ne!(want[0], want[1], "the roles differ");
            std::thread::scope(|scope| {
                for _ in 0..6 {
                    scope.spawn(|| {
                        for _ in 0..20 {
                            assert!(encoder.encode_roles(&TEXTS, &roles).unwrap() == want);
                        }
                    });
                }
            });
            assert_eq!(encoder.encode_roles(&[], &roles).unwrap(), vec![Vec::new(); 3]);
            assert!(encoder.encode_roles(&TEXTS, &[]).unwrap().is_empty());
        }
    }
}

#[test]
fn progress_is_heard_to_the_end() {
    let dir = model(&small(Tiny::bert()));
    let encoder = load(&dir, Choice::Auto, Precision::Int8);
    let texts = vec!["w1 w2 w3 w4 w5 w6 w7 w8 w9"; 400];
    let mut heard = Vec::new();
    encoder.encode(&texts, Role::Query, &mut |done| heard.push(done)).unwrap();
    assert!(heard.len() > 4 && heard.is_sorted() && heard.last() == Some(&400), "{heard:?}");
    assert!(encoder.encode(&[], Role::Query, &mut |_| panic!("nothing was done")).unwrap().is_empty());
}

#[test]
fn weights_that_are_not_numbers_are_an_error_and_name_the_text() {
    for (name, at) in
        [("embeddings.word_embeddings.weight", 10 * 64), ("encoder.layer.1.intermediate.dense.weight", 70)]
    {
        let tiny = small(Tiny::bert());
        let dir = model(&tiny);
        let weights = tiny.weights(|tensor, values| {
            if tensor == name {
                values[at] = f32::NAN; // Row 10 of the words is w6.
            }
        });
        std::fs::write(dir.path().join("tiny/model.safetensors"), weights).unwrap();
        for precision in [Precision::Int8, Precision::F32] {
            let encoder = load(&dir, Choice::Fused, precision);
            match encoder.encode(&["w6"], Role::Passage, &mut |_| {}) {
                Err(EmbedError::BadVector { index: 0, .. }) => {}
                other => panic!("{name} {precision:?} {other:?}"),
            }
            let words = name.starts_with("embeddings");
            assert_eq!(encoder.encode(&["w1"], Role::Passage, &mut |_| {}).is_ok(), words);
        }
    }
}

#[test]
fn what_cannot_be_run_is_said() {
    let how = |encoder, precision| EncoderSettings { encoder, precision, ..EncoderSettings::default() };
    // 8 columns a head: too few for the kernels.
    let dir = model(&Tiny::bert());
    assert_eq!(try_load(dir.path(), how(Choice::Auto, None)).unwrap().running().encoder, "candle");
    let refused = try_load(dir.path(), how(Choice::Fused, None));
    assert!(matches!(refused, Err(EmbedError::Unsupported { .. })));
    let refused = try_load(dir.path(), how(Choice::Candle, Some(Precision::Int8)));
    assert!(matches!(refused, Err(EmbedError::Unsupported { .. })));
}

/// The one file of packed weights below `dir`.
fn packed(dir: &Path) -> PathBuf {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "pack") {
                found.push(path);
            }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn packed_weights_are_kept_used_and_made_again() {
    let tiny = small(Tiny::bert());
    let dir = model(&tiny);
    let open = || load(&dir, Choice::Fused, Precision::Int8);
    let want = vectors(&*open(), &TEXTS);
    let path = packed(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let written = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let first = written(&path);
    assert_eq!(vectors(&*open(), &TEXTS), want);
    assert_eq!(written(&path), first, "it was written again");
    // Damaged anywhere, cut short, of another format, or not a file of ours.
    let mut bad = vec![whole[..whole.len() - 64].to_vec(), Vec::new(), b"KENPACK\0".to_vec()];
    for at in [0, 9, 20, 30, 40, 128, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bad.push(bytes);
    }
    for bytes in bad {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(vectors(&*open(), &TEXTS), want);
        assert!(std::fs::read(&path).unwrap() == whole, "it was not made again");
    }
    // Other weights under the same name.
    Tiny { seed: 5, ..tiny }.write(&dir.path().join("tiny"));
    let other = vectors(&*open(), &TEXTS);
    assert_ne!(other, want);
    assert!(std::fs::read(&path).unwrap() != whole);
    assert_eq!(vectors(&*open(), &TEXTS), other);
}
