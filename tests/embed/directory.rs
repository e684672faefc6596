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

/// Opens and loads the model, and says what went wrong.
fn trouble(store: &ModelStore, model: &Path) -> EmbedError {
    match store.find(model.to_str().unwrap()) {
        Err(error) => error,
        Ok(found) => store.load(&found.unwrap()).err().expect("it makes no sense"),
    }
}

#[test]
fn lengths_that_leave_no_room_are_refused_by_file_and_value() {
    for stated in [json!(0), json!(1), json!(3), json!(-1), json!(1e300), json!("512"), json!(2.5)] {
        let (_dir, model, store) = made(&Tiny::bert());
        put(&model, "sentence_bert_config.json", &json!({"max_seq_length": stated}));
        let error = find_error(&store, &model);
        assert_eq!(error.kind(), ErrorKind::NoModel, "{stated}: {error}");
        assert!(error.to_string().contains("sentence_bert_config.json"), "{stated}: {error}");
    }
    let (_dir, model, store) = made(&Tiny::bert());
    put(&model, "sentence_bert_config.json", &json!({"max_seq_length": 3}));
    assert!(find_error(&store, &model).to_string().ends_with("max_seq_length = 3; 4 to 24 are allowed"));
    assert_eq!(store.import(&model, None).unwrap_err().kind(), ErrorKind::NoModel);
    for allowed in [4, 24, usize::MAX] {
        put(&model, "sentence_bert_config.json", &json!({"max_seq_length": allowed}));
        let found = store.find(model.to_str().unwrap()).unwrap().unwrap();
        assert_eq!(found.manifest.max_tokens, allowed.min(24));
        store.load(&found).unwrap();
    }
    fs::remove_file(model.join("sentence_bert_config.json")).unwrap();
    for (stated, allowed) in [(json!(3), false), (json!(-5), false), (json!(4.0), true), (json!(1e30), true)] {
        put(&model, "tokenizer_config.json", &json!({"model_max_length": stated}));
        let found = store.find(model.to_str().unwrap());
        assert_eq!(found.is_ok(), allowed, "{stated}");
    }
}

/// Each field of the shape with each absurd value: an error of the model, never a panic, and no memory for what is only
/// said.
#[test]
fn absurd_shapes_are_refused_before_memory_is_asked_for() {
    let sizes = [
        "vocab_size",
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "intermediate_size",
        "max_position_embeddings",
        "type_vocab_size",
    ];
    let values = [
        json!(0),
        json!(1),
        json!(3),
        json!(-1),
        json!(1_000),
        json!(65_536),
        json!(1_000_000_000),
        json!(1_u64 << 63),
        json!(u64::MAX),
        json!(1e308),
        json!(null),
        json!("NaN"),
        json!([]),
    ];
    let (_dir, model, store) = made(&Tiny { shape: (64, 4, 96), ..Tiny::bert() });
    let good = Tiny { shape: (64, 4, 96), ..Tiny::bert() }.config();
    // One head, or the first layer alone, is a model too.
    let fits = |name: &str, value: &Value| name.starts_with("num_") && *value == json!(1);
    for name in sizes {
        for value in values.iter().filter(|value| !fits(name, value)) {
            let mut config = good.clone();
            config[name] = value.clone();
            put(&model, "config.json", &config);
            let error = trouble(&store, &model);
            let kind = error.kind();
            assert!(matches!(kind, ErrorKind::NoModel | ErrorKind::Damaged), "{name} = {value}: {kind:?}: {error}");
            assert!(error.to_string().contains("my-model"), "{name} = {value}: {error}");
        }
    }
    for (name, value) in [
        ("layer_norm_eps", json!(0)),
        ("layer_norm_eps", json!(-1)),
        ("layer_norm_eps", json!(1e9)),
        ("num_attention_heads", json!(7)),
        ("pad_token_id", json!(-1)),
        ("pad_token_id", json!(1_u64 << 40)),
        ("hidden_act", json!(7)),
        ("model_type", json!([])),
    ] {
        let mut config = good.clone();
        config[name] = value.clone();
        put(&model, "config.json", &config);
        assert_eq!(trouble(&store, &model).kind(), ErrorKind::NoModel, "{name} = {value}");
    }
    let roberta = Tiny::xlm_roberta();
    let (_dir, model, store) = made(&roberta);
    for pad in [json!(u32::MAX), json!(25), json!(22)] {
        let mut config = roberta.config();
        config["pad_token_id"] = pad.clone();
        put(&model, "config.json", &config);
        assert_eq!(trouble(&store, &model).kind(), ErrorKind::NoModel, "{pad}");
    }
}

/// Shapes and places that a header only states.
#[test]
fn weights_that_lie_about_themselves_are_refused() {
    let (_dir, model, store) = made(&Tiny { shape: (64, 4, 96), ..Tiny::bert() });
    let path = model.join("model.safetensors");
    let whole = fs::read(&path).unwrap();
    let length = usize::try_from(u64::from_le_bytes(whole[..8].try_into().unwrap())).unwrap();
    let header: Value = serde_json::from_slice(&whole[8..8 + length]).unwrap();
    let word = "embeddings.word_embeddings.weight";
    let name = header.as_object().unwrap().keys().find(|name| name.ends_with(word)).unwrap().clone();
    let with = |header: &Value| {
        let text = serde_json::to_vec(header).unwrap();
        let mut file = (text.len() as u64).to_le_bytes().to_vec();
        file.extend(text);
        file.extend(&whole[8 + length..]);
        fs::write(&path, file).unwrap();
        trouble(&store, &model)
    };
    for (field, value) in [
        ("shape", json!([1_u64 << 40, 1 << 23])),
        ("shape", json!([u64::MAX, u64::MAX])),
        ("shape", json!([0, 0])),
        ("shape", json!([])),
        ("shape", json!([64, 63])),
        ("data_offsets", json!([0, u64::MAX])),
        ("data_offsets", json!([u64::MAX, 0])),
        ("data_offsets", json!([16, 8])),
        ("data_offsets", json!([0, 3])),
        ("dtype", json!("F64")),
        ("dtype", json!("nothing")),
    ] {
        let mut lying = header.clone();
        lying[&name][field] = value.clone();
        let error = with(&lying);
        assert_eq!(error.kind(), ErrorKind::Damaged, "{field} {value}: {error}");
        assert!(error.to_string().contains("model.safetensors"), "{error}");
        let hint = error.hint().unwrap();
        assert!(hint.contains("ken model verify my-model") && hint.contains("ken model rm my-model"), "{hint}");
    }
    for stated in [0, 1, u64::MAX, 1 << 62, whole.len() as u64, 100_000_000] {
        let mut file = whole.clone();
        file[..8].copy_from_slice(&stated.to_le_bytes());
        fs::write(&path, file).unwrap();
        assert_eq!(trouble(&store, &model).kind(), ErrorKind::Damaged, "{stated}");
    }
}

/// Any byte of any file may be another one.
#[test]
fn damaged_model_files_are_errors_or_still_a_model() {
    let (_dir, model, store) = made(&Tiny { shape: (64, 4, 96), ..Tiny::bert() });
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for file in ["config.json", "modules.json", "tokenizer.json", "1_Pooling/config.json", "model.safetensors"] {
        let path = model.join(file);
        let whole = fs::read(&path).unwrap();
        for _ in 0..120 {
            let mut bytes = whole.clone();
            let reach = bytes.len().min(6_000);
            for _ in 0..=random(3) {
                let at = random(reach);
                match random(4) {
                    0 => bytes[at] = random(256) as u8,
                    1 => bytes[at] = b"0123456789-[]{},\":"[random(18)],
                    2 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
                if bytes.len() < reach {
                    break;
                }
            }
            fs::write(&path, &bytes).unwrap();
            if let Ok(Some(found)) = store.find(model.to_str().unwrap())
                && let Ok(encoder) = store.load(&found)
            {
                let _ = encoder.encode(&["w1 w2 abc"], Role::Query, &mut |_| {});
            }
        }
        fs::write(&path, whole).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_failed_import_names_the_file_that_the_user_gave() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, model, store) = made(&Tiny::bert());
    let weights = model.join("model.safetensors");
    fs::remove_file(&weights).unwrap();
    fs::create_dir(&weights).unwrap();
    let error = store.import(&model, None).unwrap_err();
    assert!(error.to_string().contains("my-model"), "{error}");
    fs::remove_dir(&weights).unwrap();
    Tiny::bert().write(&model);
    // Nothing can be written where models are kept, unless by root.
    let models = dir.path().join("models");
    fs::create_dir_all(models.join(".locks")).unwrap();
    fs::write(models.join(".locks/my-model.lock"), "").unwrap();
    fs::set_permissions(&models, fs::Permissions::from_mode(0o500)).unwrap();
    if let Err(error) = store.import(&model, None) {
        assert!(!error.to_string().contains("staging"), "{error}");
    }
    fs::set_permissions(&models, fs::Permissions::from_mode(0o700)).unwrap();
}
