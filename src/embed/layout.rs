//! Reads a sentence-transformers directory: which files, pooling, prefixes and length it asks for.
//!
//! `modules.json` names the steps; the transformer's folder holds `config.json`, `tokenizer.json`, `model.safetensors`
//! and perhaps `sentence_bert_config.json`; the pooling folder its `config.json`; `config_sentence_transformers.json`
//! the prompts. A directory that does not say how it pools is refused: a guess would make plausible, wrong vectors. So
//! is every step that is not understood (dense layers, several poolings at once).

use super::EmbedError;
use super::config::Config;
use super::encoder::Precision;
use super::kind::ModelKind;
use super::manifest::{CONFIG, FileSpec, LEAST_TOKENS, Manifest, Pooling, TOKENIZER, WEIGHTS};
use crate::map::open::{self, Links};
use crate::types::limits::MODEL_JSON;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What a directory holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// Derived from the directory's own files; its file list has no pins.
    pub manifest: Manifest,
    /// Where the three files lie: the directory itself or a folder in it.
    pub root: PathBuf,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize, Default)]
struct SentenceBert {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize, Default)]
struct Prompts {
    #[serde(default)]
    prompts: HashMap<String, String>,
    default_prompt_name: Option<String>,
}

#[derive(Deserialize, Default)]
struct TokenizerConfig {
    // Written as 1e30 when there is no limit, which is no integer.
    model_max_length: Option<f64>,
}

impl Layout {
    /// Reads `dir` as the model `name`.
    ///
    /// # Errors
    /// When a needed file is missing or asks for something that is not supported.
    pub(crate) fn read(dir: &Path, name: &str) -> Result<Self, EmbedError> {
        let modules_path = dir.join("modules.json");
        let modules: Vec<Module> = match read_json(&modules_path)? {
            Some(modules) => modules,
            None => {
                let what = "there is no modules.json, which says how the model pools".to_owned();
                return Err(EmbedError::BadConfig { path: dir.into(), what });
            }
        };
        let (mut root, mut pooling) = (None, None);
        for module in &modules {
            let place = inside(dir, &module.path, &modules_path)?;
            match module.kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" => root = Some(place),
                "Pooling" => pooling = Some(read_pooling(&place.join("config.json"))?),
                "Normalize" => {}
                other => {
                    return Err(EmbedError::Unsupported { path: modules_path, what: format!("the step {other}") });
                }
            }
        }
        let bad = |what: &str| EmbedError::BadConfig { path: modules_path.clone(), what: what.into() };
        let root = root.ok_or_else(|| bad("no Transformer is named"))?;
        let pooling = pooling.ok_or_else(|| bad("no Pooling is named"))?;
        for file in [CONFIG, TOKENIZER, WEIGHTS] {
            if !root.join(file).is_file() {
                return Err(EmbedError::BadConfig { path: root, what: format!("there is no {file}") });
            }
        }
        let config = Config::read(&root.join(CONFIG))?;
        let (query_prefix, passage_prefix) = read_prompts(dir)?;
        let manifest = Manifest {
            name: name.to_owned(),
            description: String::new(),
            licence: String::new(),
            kind: ModelKind::Encoder,
            architecture: config.architecture,
            activation: config.activation,
            pooling,
            dims: config.hidden,
            max_tokens: read_max_tokens(&root, &config)?,
            query_prefix,
            passage_prefix,
            precision: Precision::F32,
            fallback: None,
            calibration: None,
            files: [CONFIG, TOKENIZER, WEIGHTS]
                .map(|path| FileSpec { path: path.into(), size: None, sha256: None })
                .to_vec(),
            sources: Vec::new(),
        };
        manifest.check()?;
        Ok(Self { manifest, root })
    }
}

/// A module's folder, which must not lead out of the directory.
fn inside(dir: &Path, path: &str, modules: &Path) -> Result<PathBuf, EmbedError> {
    if path.split(['/', '\\']).any(|part| part == "..") || Path::new(path).is_absolute() {
        let what = format!("the folder {path:?} lies outside");
        return Err(EmbedError::BadConfig { path: modules.into(), what });
    }
    Ok(if path.is_empty() { dir.to_owned() } else { dir.join(path) })
}

fn read_pooling(path: &Path) -> Result<Pooling, EmbedError> {
    let fields: HashMap<String, Value> = read_json(path)?.ok_or_else(|| EmbedError::BadConfig {
        path: path.parent().unwrap_or(path).into(),
        what: "there is no config.json, which says how the model pools".into(),
    })?;
    let mut modes: Vec<&str> = fields
        .iter()
        .filter(|(_, value)| **value == Value::Bool(true))
        .filter_map(|(name, _)| name.strip_prefix("pooling_mode_"))
        .collect();
    if let Some(Value::String(mode)) = fields.get("pooling_mode") {
        modes.push(mode); // Since sentence-transformers 5.
    }
    modes.sort_unstable();
    match modes.as_slice() {
        ["cls_token" | "cls"] => Ok(Pooling::Cls),
        ["mean_tokens" | "mean"] => Ok(Pooling::Mean),
        [] => Err(EmbedError::UnsupportedPooling { path: path.into(), found: "no".into() }),
        other => Err(EmbedError::UnsupportedPooling { path: path.into(), found: other.join(" + ") }),
    }
}

/// The length that the directory asks for, within what has positions.
fn read_max_tokens(root: &Path, config: &Config) -> Result<usize, EmbedError> {
    let path = root.join("sentence_bert_config.json");
    let sentence: SentenceBert = read_json(&path)?.unwrap_or_default();
    if sentence.do_lower_case {
        return Err(EmbedError::Unsupported { path, what: "do_lower_case outside the tokenizer".into() });
    }
    let longest = config.longest();
    let too_short = |path: PathBuf, name: &str, stated: String| {
        Err(EmbedError::BadConfig { path, what: format!("{name} = {stated}; {LEAST_TOKENS} to {longest} are allowed") })
    };
    if let Some(stated) = sentence.max_seq_length {
        // More than there are positions for is said of many models; the positions decide.
        return if stated < LEAST_TOKENS {
            too_short(path, "max_seq_length", stated.to_string())
        } else {
            Ok(stated.min(longest))
        };
    }
    let path = root.join("tokenizer_config.json");
    let tokenizer: TokenizerConfig = read_json(&path)?.unwrap_or_default();
    match tokenizer.model_max_length {
        Some(stated) if stated < LEAST_TOKENS as f64 => too_short(path, "model_max_length", stated.to_string()),
        // A float beyond every integer becomes the largest.
        Some(stated) => Ok((stated as usize).min(longest)),
        None => Ok(longest),
    }
}

/// Query and passage prefix.
fn read_prompts(dir: &Path) -> Result<(String, String), EmbedError> {
    let prompts: Prompts = read_json(&dir.join("config_sentence_transformers.json"))?.unwrap_or_default();
    let named = |names: &[&str]| names.iter().find_map(|n| prompts.prompts.get(*n)).cloned();
    let default = prompts.default_prompt_name.as_deref().and_then(|n| named(&[n])).unwrap_or_default();
    Ok((
        named(&["query"]).unwrap_or_else(|| default.clone()),
        named(&["document", "passage", "corpus"]).unwrap_or(default),
    ))
}

fn read_json<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, EmbedError> {
    let bytes = match open::read(path, Links::Follow, MODEL_JSON) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(EmbedError::io(path)(error)),
    };
    match serde_json::from_slice(&bytes) {
        Ok(value) => Ok(Some(value)),
        Err(error) => Err(EmbedError::BadConfig { path: path.into(), what: error.to_string() }),
    }
}
