//! Models that somebody else has made: weights, directories, tokenizers, manifests, records of what is installed.

use crate::fuzz::{Reader, Target, about, emptied, files, outcome, sort_of};
use crate::support::tiny::Tiny;
use kenning::embed::{BundleExtras, Encoder, Manifest, ModelStore, StoreSettings};
use kenning::types::{Fingerprint, Role};
use serde_json::{Value, json};
use std::io::{Cursor, Read, Write};
use std::path::Path;

/// As small as the fast pass takes.
fn tiny() -> Tiny {
    Tiny { shape: (64, 2, 64), positions: 8, ..Tiny::bert() }
}

/// A store that reaches nothing outside this machine, on one thread.
pub fn store(room: &Path) -> StoreSettings {
    let mut settings = crate::support::settings(room);
    settings.encoder.threads = Some(1);
    settings.hub.retries = 0;
    settings
}

/// Whether each vector is one of length 1; what came of encoding.
fn encode(encoder: &dyn Encoder, texts: &[&str]) -> u64 {
    match encoder.encode(texts, Role::Query, &mut |_| {}) {
        Ok(all) => {
            assert_eq!(all.len(), texts.len());
            assert!(all.iter().all(|one| one.vector.len() == encoder.dims() && one.tokens <= encoder.max_tokens()));
            outcome(all.iter().map(|one| (about(one.tokens), one.truncated)).collect::<Vec<_>>())
        }
        Err(error) => sort_of(&error),
    }
}

const JSON: &[&str] = &[
    "\"shape\":[",
    "\"dtype\":\"F32\"",
    "\"F16\"",
    "\"BF16\"",
    "\"I64\"",
    "\"data_offsets\":[0,4]",
    "\"__metadata__\":{}",
    ":",
    ",",
    "{",
    "}",
    "[",
    "]",
    "\"model_type\":\"bert\"",
    "\"hidden_size\":",
    "\"num_hidden_layers\":",
    "\"max_position_embeddings\":",
    "\"vocab_size\":",
    "\"max_seq_length\":",
    "\"prompts\":{\"query\":\"",
    "\"path\":\"../x\"",
    "\"pooling_mode\":\"mean\"",
    "\"num_attention_heads\":",
    "=== config.json\n",
    "=== modules.json\n",
    "=== tokenizer_config.json\n",
    "=== sentence_bert_config.json\n",
    "=== 1_Pooling/config.json\n",
    "=== config_sentence_transformers.json\n",
];

/// The length of the header and the header; values follow, always the same.
pub const SAFETENSORS: Target = Target {
    name: "safetensors",
    seeds: || {
        let bytes = tiny().weights(|_, _| {});
        vec![bytes[..header_len(&bytes)].to_vec()]
    },
    words: JSON,
    longest: 32 << 10,
    reader: safetensors,
};

/// The JSON files of a sentence-transformers directory.
pub const DIRECTORY: Target = Target {
    name: "model-directory",
    seeds: || vec![directory_seed()],
    words: JSON,
    longest: 16 << 10,
    reader: directory,
};

pub const TOKENIZER: Target = Target {
    name: "tokenizer",
    seeds: || {
        vec![tiny().tokenizer(), word_piece()].into_iter().map(|value| serde_json::to_vec(&value).unwrap()).collect()
    },
    words: &[
        "\"type\":\"WordPiece\"",
        "\"type\":\"BPE\"",
        "\"type\":\"Unigram\"",
        "\"type\":\"WordLevel\"",
        "\"merges\":[",
        "\"vocab\":{",
        "\"unk_token\":",
        "\"normalizer\":{\"type\":\"BertNormalizer\"",
        "\"type\":\"Sequence\"",
        "\"type\":\"Replace\"",
        "\"pattern\":{\"Regex\":\"(a+)+$\"}",
        "\"added_tokens\":[",
        "\"type\":\"Precompiled\"",
        "\"special\":true",
        "\"id\":",
        "\"##a\"",
        "\"type\":\"Metaspace\"",
        "\"type\":\"ByteLevel\"",
        "\"max_input_chars_per_word\":",
        "\"post_processor\":",
        "\"type\":\"Split\"",
        "\"truncation\":null",
        "\"single_word\":true",
        "\"byte_fallback\":true",
    ],
    longest: 32 << 10,
    reader: tokenizer,
};

/// Texts for a tokenizer that is as BERT's are.
pub const WORDPIECE: Target = Target {
    name: "wordpiece",
    seeds: Vec::new,
    words: &[
        "[CLS]",
        "[SEP]",
        "[UNK]",
        "[PAD]",
        "##",
        "aaaaaaaaaaaaaaaaaaaa",
        "\u{130}",
        "\u{4e2d}",
        "e\u{301}",
        "\u{200b}",
        "'",
        "\u{1f600}",
        " ",
    ],
    longest: 64 << 10,
    reader: word_pieces,
};

pub const MANIFEST: Target = Target {
    name: "manifest",
    seeds: || {
        vec![
            include_bytes!("../../../models/bge-small-en-v1.5-int8.toml").to_vec(),
            include_bytes!("../../../models/bge-m3.toml").to_vec(),
        ]
    },
    words: &[
        "[[files]]\n",
        "[[sources]]\n",
        "[[sources.members]]\n",
        "kind = \"hub\"\n",
        "path = \"../x\"\n",
        "sha256 = \"",
        "dims = ",
        "max_tokens = ",
        "[calibration]\n",
        "name = \"",
        "'''",
        "size = ",
    ],
    longest: 32 << 10,
    reader: |_| Box::new(manifest),
};

/// The record of an installed model.
pub const INSTALLED: Target = Target {
    name: "installed",
    seeds: || vec![record_seed()],
    words: &[
        "\"root\":\"/\"",
        "\"root\":null",
        "\"manifest\":null",
        "\"kind\":\"cache\"",
        "\"kind\":\"import\",\"from\":\"/\"",
        "\"files\":[]",
        "\"format\":1",
        "\"path\":\"../../x\"",
        "\"size\":",
    ],
    longest: 16 << 10,
    reader: installed,
};

/// A model in one file. What begins with `{` is the contents of one, and the files that they should name follow.
pub const BUNDLE: Target = Target {
    name: "bundle",
    seeds: || {
        let (whole, contents, _) = bundle_seed();
        vec![contents, whole]
    },
    words: &[
        "PK\x01\x02",
        "PK\x03\x04",
        "PK\x05\x06",
        "PK\x06\x06",
        "ken-model-bundle.json",
        "config.json",
        "../../x",
        "/etc/passwd",
        "installed.json",
        "\x01\0\x10\0",
        "\x08\0",
        "\"format\":2",
        "\"vectors\":{\"model\":\"own@0\",\"file\":",
        "\"size\":18446744073709551615",
        "\"name\":\"bge-small-en-v1.5-int8\"",
        "\"max_tokens\":",
        "\"calibration\":{",
    ],
    longest: 64 << 10,
    reader: bundle,
};

fn header_len(bytes: &[u8]) -> usize {
    8 + u64::from_le_bytes(*bytes.first_chunk::<8>().unwrap()) as usize
}

fn safetensors(room: &Path) -> Reader {
    let folder = room.join("model");
    emptied(&folder);
    tiny().write(&folder);
    let values = tiny().weights(|_, _| {});
    let values = values[header_len(&values)..].to_vec();
    let (folder, room) = (folder.clone(), room.to_owned());
    Box::new(move |input| {
        std::fs::write(folder.join("model.safetensors"), [input, &values].concat()).unwrap();
        load(&room, &folder)
    })
}

/// Finds, loads and asks the model in a folder, and takes it in.
fn load(room: &Path, folder: &Path) -> u64 {
    for made in ["models", "hub"] {
        emptied(&room.join(made));
    }
    let store = ModelStore::new(store(room));
    let found = match store.find(folder.to_str().unwrap()) {
        Ok(found) => found,
        Err(error) => return sort_of(&error),
    };
    let Some(found) = found else { return 1 };
    let answer = match store.load(&found) {
        Ok(encoder) => encode(encoder.as_ref(), &["w1 w2 w3 w1 w1 w1 w1 w1 w1", ""]),
        Err(error) => sort_of(&error),
    };
    let imported = store.import(folder, Some("own")).map_or_else(|error| sort_of(&error), |_| 2);
    outcome((answer, imported))
}

fn directory_seed() -> Vec<u8> {
    let room = tempfile::tempdir().unwrap();
    let tiny = Tiny { max_seq_length: Some(8), prompts: json!({"query": "q: ", "passage": "p: "}), ..tiny() };
    tiny.write(room.path());
    let names = [
        "config.json",
        "modules.json",
        "1_Pooling/config.json",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
    ];
    let part = |name: &str| {
        [format!("=== {name}\n").into_bytes(), std::fs::read(room.path().join(name)).unwrap(), b"\n".to_vec()].concat()
    };
    let last = b"=== tokenizer_config.json\n{\"model_max_length\":8}\n".to_vec();
    names.iter().map(|name| part(name)).chain([last]).collect::<Vec<_>>().concat()
}

fn directory(room: &Path) -> Reader {
    let (folder, whole) = (room.join("model"), room.join("whole"));
    emptied(&whole);
    tiny().write(&whole);
    let kept = ["model.safetensors", "tokenizer.json"].map(|name| (name, std::fs::read(whole.join(name)).unwrap()));
    let room = room.to_owned();
    const NAMES: &[&str] = &[
        "config.json",
        "modules.json",
        "1_Pooling/config.json",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
        "tokenizer_config.json",
    ];
    Box::new(move |input| {
        emptied(&folder);
        std::fs::create_dir(folder.join("1_Pooling")).unwrap();
        for (name, bytes) in &kept {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        for (name, bytes) in files(input).into_iter().filter(|(name, _)| NAMES.contains(&name.as_str())) {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        load(&room, &folder)
    })
}

/// A tokenizer as BERT's are, with letters and a few words.
fn word_piece() -> Value {
    let mut value = tiny().tokenizer();
    let mut pieces: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(str::to_owned).into();
    pieces.extend(('a'..='z').flat_map(|c| [c.to_string(), format!("##{c}")]));
    pieces.extend(["the", "water", "##ing", "'", ".", "\u{4e2d}", "[", "]"].map(str::to_owned));
    let vocab: serde_json::Map<String, Value> =
        pieces.into_iter().take(64).enumerate().map(|(id, piece)| (piece, json!(id))).collect();
    value["normalizer"] = json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true});
    value["pre_tokenizer"] = json!({"type": "BertPreTokenizer"});
    value["model"] = json!({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab});
    value
}

fn tokenizer(room: &Path) -> Reader {
    let folder = room.join("model");
    emptied(&folder);
    tiny().write(&folder);
    let room = room.to_owned();
    Box::new(move |input| {
        std::fs::write(folder.join("tokenizer.json"), input).unwrap();
        load(&room, &folder)
    })
}

fn word_pieces(room: &Path) -> Reader {
    let folder = room.join("model");
    emptied(&folder);
    tiny().write(&folder);
    std::fs::write(folder.join("tokenizer.json"), serde_json::to_vec(&word_piece()).unwrap()).unwrap();
    let store = ModelStore::new(store(room));
    let found = store.find(folder.to_str().unwrap()).unwrap().unwrap();
    let encoder = store.load(&found).unwrap();
    // The tokenizer itself is the referee of its compact form.
    let referee = tokenizers::Tokenizer::from_bytes(serde_json::to_vec(&word_piece()).unwrap()).map(|mut real| {
        real.with_truncation(None).unwrap();
        real.with_padding(None);
        real
    });
    let referee = referee.unwrap();
    Box::new(move |input| {
        let text = String::from_utf8_lossy(input);
        let count = encoder.count_tokens(&text).unwrap();
        if text.len() < 4096 {
            let right = referee.encode_fast(text.as_ref(), false).unwrap().get_ids().len();
            assert_eq!(count, right, "the compact tokenizer counts as the real one does");
        }
        outcome((about(count), encode(encoder.as_ref(), &[&text])))
    })
}

/// The files of a bundle: name and bytes.
type Parts = Vec<(String, Vec<u8>)>;

/// A bundle, its contents, and the files that follow them.
fn bundle_seed() -> (Vec<u8>, Vec<u8>, Parts) {
    let room = tempfile::tempdir().unwrap();
    let (folder, file) = (room.path().join("own"), room.path().join("own.ken"));
    Tiny { shape: (16, 2, 16), ..tiny() }.write(&folder);
    let store = ModelStore::new(store(room.path()));
    let installed = store.import(&folder, Some("own")).unwrap();
    let model = Fingerprint::stored("own@0123456789abcdef".into());
    let extras = BundleExtras { calibration: None, vectors: Some((&model, b"KENANN")) };
    store.bundle(&installed, &extras, &file, &|| false, &mut |_| {}).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(&whole)).unwrap();
    let mut read = |at| {
        let (mut file, mut bytes) = (zip.by_index(at).unwrap(), Vec::new());
        file.read_to_end(&mut bytes).unwrap();
        (file.name().unwrap().into_owned(), bytes)
    };
    let (contents, files) = (read(0).1, (1..5).map(read).collect());
    (whole, contents, files)
}

fn bundle(room: &Path) -> Reader {
    let (_, _, files) = bundle_seed();
    let file = room.join("given.ken");
    let room = room.to_owned();
    Box::new(move |input| {
        let bytes = if input.starts_with(b"{") {
            let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
            let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
            let contents = ("ken-model-bundle.json".to_owned(), input.to_vec());
            for (name, bytes) in std::iter::once(&contents).chain(&files) {
                zip.start_file(name.as_str(), stored).unwrap();
                zip.write_all(bytes).unwrap();
            }
            zip.finish().unwrap().into_inner()
        } else {
            input.to_vec()
        };
        std::fs::write(&file, bytes).unwrap();
        emptied(&room.join("models"));
        let store = ModelStore::new(store(&room));
        let answer = store.import_bundle(&file, None, &mut |_| {}).map(|came| (came.was_there, came.vectors.is_some()));
        for entry in std::fs::read_dir(&room).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(["models", "hub", "given.ken"].contains(&name.as_str()), "{name} was written");
        }
        // What is left is a model under a name of its own, or nothing but locks.
        let left = std::fs::read_dir(room.join("models")).unwrap().flatten().map(|entry| entry.file_name());
        let left = left.filter(|name| !name.to_string_lossy().starts_with(".locks")).count();
        assert_eq!(left, usize::from(answer.is_ok()));
        if answer.is_ok() {
            let installed = store.installed();
            let name = installed[0].name();
            assert!(store.verify(name).unwrap().iter().all(|check| check.problem.is_none()));
            assert!(!Manifest::builtin().iter().any(|known| known.name == name), "{name} is pinned");
        }
        answer.map_or_else(|error| sort_of(&error), outcome)
    })
}

fn manifest(input: &[u8]) -> u64 {
    match Manifest::parse(&String::from_utf8_lossy(input)) {
        Ok(manifest) => {
            let written = toml::to_string(&manifest).unwrap();
            assert!(Manifest::parse(&written).unwrap() == manifest, "a manifest comes back as it was written");
            outcome((manifest.total_size().is_some(), about(manifest.sources.len()), about(manifest.files.len())))
        }
        Err(error) => sort_of(&error),
    }
}

fn record_seed() -> Vec<u8> {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("own");
    tiny().write(&folder);
    let store = ModelStore::new(store(room.path()));
    store.import(&folder, Some("own")).unwrap();
    let text = std::fs::read_to_string(room.path().join("models/own/installed.json")).unwrap();
    text.replace(room.path().to_str().unwrap(), "/nowhere").into_bytes()
}

fn installed(room: &Path) -> Reader {
    let folder = room.join("own");
    emptied(&folder);
    tiny().write(&folder);
    let made = ModelStore::new(store(room));
    made.import(&folder, Some("own")).unwrap();
    let record = room.join("models/own/installed.json");
    Box::new(move |input| {
        std::fs::write(&record, input).unwrap();
        let all = made.installed().len();
        let found = match made.find("own") {
            Ok(Some(found)) => found,
            Ok(None) => return outcome(all),
            Err(error) => return outcome((all, sort_of(&error))),
        };
        // What is elsewhere on this machine is no business of this test.
        if !found.root.starts_with("/dev/shm") && found.root.exists() {
            return 3;
        }
        let checked = made.verify("own").map_or_else(
            |error| sort_of(&error),
            |files| files.iter().filter(|file| file.problem.is_some()).count() as u64,
        );
        let loaded = made.load(&found).map_or_else(|error| sort_of(&error), |_| 1);
        outcome((all, checked, loaded))
    })
}
