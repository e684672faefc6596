//! Sentence-transformers directories: read in place, imported, refused.

use crate::support::tiny::{HIDDEN, Tiny};
use crate::support::{distance, store};
use kenning::embed::{EmbedError, ModelStore, Origin, State};
use kenning::error::{Diagnose, ErrorKind};
use kenning::types::Role;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn made(tiny: &Tiny) -> (TempDir, PathBuf, ModelStore) {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("my-model");
    tiny.write(&model);
    let store = store(dir.path());
    (dir, model, store)
}

fn put(dir: &Path, name: &str, value: &Value) {
    fs::write(dir.join(name), serde_json::to_vec(value).unwrap()).unwrap();
}

fn find_error(store: &ModelStore, dir: &Path) -> EmbedError {
    store.find(dir.to_str().unwrap()).unwrap_err()
}

#[test]
fn says_what_the_files_say() {
    let tiny = Tiny {
        max_seq_length: Some(16),
        prompts: json!({"query": "q: ", "passage": "p: "}),
        pooling: "mean",
        ..Tiny::xlm_roberta()
    };
    let (_dir, model, store) = made(&tiny);
    let found = store.find(model.to_str().unwrap()).unwrap().unwrap();
    let m = &found.manifest;
    assert_eq!((found.name(), m.architecture.name(), m.pooling.name()), ("my-model", "xlm-roberta", "mean"));
    assert_eq!((m.dims, m.max_tokens, m.query_prefix.as_str(), m.passage_prefix.as_str()), (HIDDEN, 16, "q: ", "p: "));
    assert_eq!((found.origin, found.state), (Origin::Directory, State::Ready));
}

#[test]
fn newer_pooling_files_and_transformer_folders_are_understood() {
    let (_dir, model, store) = made(&Tiny::bert());
    put(&model, "1_Pooling/config.json", &json!({"embedding_dimension": HIDDEN, "pooling_mode": "mean"}));
    fs::create_dir(model.join("0_Transformer")).unwrap();
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        fs::rename(model.join(file), model.join("0_Transformer").join(file)).unwrap();
    }
    let modules = json!([{"path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
                         {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]);
    put(&model, "modules.json", &modules);
    let found = store.find(model.to_str().unwrap()).unwrap().unwrap();
    assert_eq!(found.manifest.pooling.name(), "mean");
    assert!(found.root.ends_with("0_Transformer"));
    store.load(&found).unwrap();
}

#[test]
fn refuses_what_it_would_compute_wrongly() {
    let (_dir, model, store) = made(&Tiny::bert());
    let pooling = |value: Value| {
        put(&model, "1_Pooling/config.json", &value);
        find_error(&store, &model)
    };
    let error = pooling(json!({"pooling_mode_max_tokens": true}));
    assert!(matches!(&error, EmbedError::UnsupportedPooling { found, .. } if found == "max_tokens"), "{error}");
    let error = pooling(json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}));
    assert!(matches!(error, EmbedError::UnsupportedPooling { .. }));
    assert_eq!(error.kind(), ErrorKind::NoModel);
    assert!(matches!(pooling(json!({})), EmbedError::UnsupportedPooling { .. }));

    let modules = json!([{"path": "", "type": "sentence_transformers.models.Transformer"},
                         {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]);
    put(&model, "modules.json", &modules);
    assert!(matches!(find_error(&store, &model), EmbedError::Unsupported { what, .. } if what.contains("Dense")));
    put(&model, "modules.json", &json!([{"path": "../elsewhere", "type": "x.Transformer"}]));
    assert!(matches!(find_error(&store, &model), EmbedError::BadConfig { .. }));
    fs::remove_file(model.join("modules.json")).unwrap();
    assert!(find_error(&store, &model).to_string().contains("modules.json"));
}

#[test]
fn refuses_missing_and_broken_files() {
    for (file, bytes) in [
        ("config.json", &b"{"[..]),
        ("config.json", br#"{"model_type":"gpt2"}"#),
        ("tokenizer.json", b"not json"),
        ("model.safetensors", b"short"),
        ("model.safetensors", &[0xff; 64]),
        ("modules.json", b"[1]"),
    ] {
        let (_dir, model, store) = made(&Tiny::bert());
        fs::write(model.join(file), bytes).unwrap();
        let error = match store.find(model.to_str().unwrap()) {
            Err(error) => error,
            Ok(found) => store.load(&found.unwrap()).err().unwrap(),
        };
        assert!(error.to_string().contains(file), "{file}: {error}");
    }
    let (_dir, model, store) = made(&Tiny::bert());
    fs::remove_file(model.join("model.safetensors")).unwrap();
    assert!(find_error(&store, &model).to_string().contains("model.safetensors"));
}

#[test]
fn a_tokenizer_with_more_words_than_the_model_is_refused() {
    let (_dir, model, store) = made(&Tiny::bert());
    let mut tokenizer = Tiny::bert().tokenizer();
    tokenizer["model"]["vocab"]["extra"] = json!(64);
    put(&model, "tokenizer.json", &tokenizer);
    let error = store.load(&store.find(model.to_str().unwrap()).unwrap().unwrap()).err().unwrap();
    assert!(matches!(error, EmbedError::Tokenizer { .. }), "{error}");
}

#[test]
fn an_import_is_a_copy_that_loads_alike() {
    let (_dir, model, store) = made(&Tiny::bert());
    let direct = store.load(&store.find(model.to_str().unwrap()).unwrap().unwrap()).unwrap();
    let imported = store.import(&model, None).unwrap();
    assert_eq!(imported.name(), "my-model");
    assert_eq!(imported.unpinned().len(), 3);
    assert_eq!(imported.origin, Origin::Import { from: model.canonicalize().unwrap() });
    fs::remove_dir_all(&model).unwrap();
    let found = store.find("my-model").unwrap().unwrap();
    let copy = store.load(&found).unwrap();
    assert_eq!(copy.fingerprint(), direct.fingerprint());
    let one = |e: &dyn kenning::embed::Encoder| e.encode(&["w1 w2"], Role::Query, &mut |_| {}).unwrap().remove(0);
    assert!(distance(&one(&*copy).vector, &one(&*direct).vector) < 1e-7);
    assert!(store.installed().iter().any(|i| i.name() == "my-model"));
}

#[test]
fn an_import_replaces_the_model_of_that_name() {
    let (dir, model, store) = made(&Tiny::bert());
    store.import(&model, Some("mine")).unwrap();
    let first = store.load(&store.find("mine").unwrap().unwrap()).unwrap().fingerprint().clone();
    let other = dir.path().join("other");
    Tiny { seed: 7, ..Tiny::bert() }.write(&other);
    store.import(&other, Some("mine")).unwrap();
    let second = store.load(&store.find("mine").unwrap().unwrap()).unwrap().fingerprint().clone();
    assert_ne!(first, second);
    let left: Vec<_> = fs::read_dir(dir.path().join("models")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|n| n.to_string_lossy().contains("staging")), "{left:?}");
}

#[test]
fn a_known_name_is_only_for_that_models_files() {
    let (_dir, model, store) = made(&Tiny::bert());
    let error = store.import(&model, Some("bge-small-en-v1.5")).unwrap_err();
    assert!(matches!(error, EmbedError::Conflict { field: "hidden_size", .. }), "{error}");
    assert!(store.find("bge-small-en-v1.5").unwrap().is_none());
    for name in ["../x", "", ".hidden", "a b", "a/b"] {
        assert!(matches!(store.import(&model, Some(name)), Err(EmbedError::BadName { .. })), "{name:?}");
    }
}
