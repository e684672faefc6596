//! From an installed model to what runs it.

use super::{Installed, ModelStore, State};
use crate::embed::candle::CandleEncoder;
use crate::embed::config::Config;
use crate::embed::fingerprint::Digests;
use crate::embed::fused::{self, FusedEncoder, FusedReranker, LoadOptions};
use crate::embed::kind::ModelKind;
use crate::embed::manifest::{CONFIG, TOKENIZER, WEIGHTS};
use crate::embed::{Choice, EmbedError, Encoder, Precision, Reranker};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Address space that running a model takes beside its weights and their packed form: texts, vectors, threads.
const WORKING_BYTES: u64 = 384 << 20;

impl ModelStore {
    /// Loads an encoder: the fused one where it can run the model, unless the settings say otherwise. Files that
    /// changed since they were last hashed are hashed again.
    ///
    /// # Errors
    /// When a file is missing, damaged, changed or not supported, or the model is no encoder.
    pub fn load(&self, installed: &Installed) -> Result<Box<dyn Encoder>, EmbedError> {
        let (hashes, config) = self.checked(installed, ModelKind::Encoder)?;
        let digests = digests_in(&hashes);
        let (root, manifest) = (&installed.root, &installed.manifest);
        let settings = &self.settings.encoder;
        let (fits, precision) = (fused::runs(&config), settings.precision.unwrap_or(manifest.precision));
        match settings.encoder {
            Choice::Fused if !fits => unsupported(installed, "this shape in the fused encoder"),
            Choice::Auto | Choice::Fused if fits => {
                let cache = pack_of(installed, precision);
                let options = self.load_options(installed, config, digests, &cache, precision);
                Ok(Box::new(FusedEncoder::load(&options, manifest)?))
            }
            _ if settings.precision == Some(Precision::Int8) => unsupported(installed, "int8 in the candle encoder"),
            _ => Ok(Box::new(CandleEncoder::load(root, manifest, &config, &digests)?)),
        }
    }

    /// Loads a reranker, which only the fused pass runs.
    ///
    /// # Errors
    /// As [`ModelStore::load`], or when the model is no reranker.
    pub fn load_reranker(&self, installed: &Installed) -> Result<Box<dyn Reranker>, EmbedError> {
        let (hashes, config) = self.checked(installed, ModelKind::Reranker)?;
        if !fused::runs(&config) || config.token_types < 2 {
            return unsupported(installed, "this shape of a reranker");
        }
        let precision = self.settings.encoder.precision.unwrap_or(installed.manifest.precision);
        let cache = pack_of(installed, precision);
        let options = self.load_options(installed, config, digests_in(&hashes), &cache, precision);
        Ok(Box::new(FusedReranker::load(&options)?))
    }

    /// The hashes of a model's files and its shape, if it is of this kind and all is as it should be.
    fn checked(&self, installed: &Installed, kind: ModelKind) -> Result<(HashMap<String, String>, Config), EmbedError> {
        let manifest = &installed.manifest;
        if manifest.kind != kind {
            let name = manifest.name.clone();
            return Err(EmbedError::WrongKind { name, kind: manifest.kind, wanted: kind });
        }
        let (needed, limit) = (WORKING_BYTES + 2 * installed.bytes, self.settings.address_space);
        if let Some(limit) = limit.filter(|limit| *limit < needed) {
            return Err(EmbedError::NoRoom { name: manifest.name.clone(), needed: needed >> 20, limit: limit >> 20 });
        }
        if let State::Damaged { why } = &installed.state {
            return Err(EmbedError::Damaged { path: installed.root.clone(), what: why.clone() });
        }
        let hashes = self.digests(installed)?;
        let path = installed.root.join(CONFIG);
        let config = Config::read(&path)?;
        config.agree(manifest, &path)?;
        Ok((hashes, config))
    }

    fn load_options<'a>(
        &'a self,
        installed: &'a Installed,
        config: Config,
        digests: Digests<'a>,
        cache: &'a Path,
        precision: Precision,
    ) -> LoadOptions<'a> {
        LoadOptions {
            dir: &installed.root,
            digests,
            config,
            max_tokens: installed.manifest.max_tokens,
            settings: &self.settings.encoder,
            precision,
            cache: Some(cache),
        }
    }
}

fn digests_in(hashes: &HashMap<String, String>) -> Digests<'_> {
    let of = |file: &str| hashes.get(file).map_or("", String::as_str); // Every manifest names both files.
    Digests { weights: of(WEIGHTS), tokenizer: of(TOKENIZER) }
}

/// Where packed weights are kept: beside our record of the model, for its files may lie in another tool's folder.
fn pack_of(installed: &Installed, precision: Precision) -> PathBuf {
    installed.record.with_extension(format!("{}.pack", precision.name()))
}

fn unsupported<T>(installed: &Installed, what: &str) -> Result<T, EmbedError> {
    Err(EmbedError::Unsupported { path: installed.root.join(CONFIG), what: what.to_owned() })
}
