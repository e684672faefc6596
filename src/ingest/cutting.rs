//! Files to items: cut with the tokenizer of the model that will embed them, or roughly where there is none.

use crate::chunk::{Format, Limits, Reading, chunks, front_matter};
use crate::embed::Encoder;
use crate::store::{Source, chunk_uid};
use crate::text::{Characters, CountTokens, text_hash};
use crate::types::{Authority, BELOW, CONTEXT, Fingerprint, Item, Kind, Role, State, titled};
use std::collections::HashMap;
use std::path::Path;

/// Raised when the same file is cut another way than before, so that everything is cut anew.
const VERSION: u32 = 5;

/// Cuts for one model.
#[derive(Clone, Copy)]
pub(super) struct Cutter<'a> {
    encoder: Option<&'a dyn Encoder>,
}

/// How a file of this name is laid out; what has no name that tells is paragraphs.
pub(super) fn layout(path: &str) -> Format {
    Format::of_path(Path::new(path)).unwrap_or(Format::Plain)
}

/// What there is to read of a file with this name and text.
pub(super) fn reading<'t>(path: &str, text: &'t str) -> Reading<'t> {
    Reading::new(text, layout(path).told_by(text))
}

/// Names that say where a file stands in its folder and not what is in it: that says the folder.
const UNTOLD: [&str; 5] = ["index", "readme", "_index", "main", "default"];

/// What a file is called, in words: a title for what has none.
fn name_of(path: &str) -> Option<String> {
    let path = Path::new(path);
    let stem = |path: &Path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some(name.split('.').find(|part| !part.is_empty())?.to_owned())
    };
    let own = stem(path)?;
    let told = if UNTOLD.contains(&own.to_lowercase().as_str()) { stem(path.parent()?)? } else { own };
    let words: Vec<&str> = told.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect();
    Some(words.join(" ")).filter(|name| name.contains(char::is_alphabetic))
}

impl<'a> Cutter<'a> {
    pub fn new(encoder: Option<&'a dyn Encoder>) -> Self {
        Self { encoder }
    }

    /// What the index says about how its files were cut.
    pub fn label(model: Option<&Fingerprint>) -> String {
        format!("{VERSION} {}", model.map_or("none", Fingerprint::as_str))
    }

    /// The chunks of what there is to read of a file as items; their lines are those of the reading.
    pub fn items(&self, reading: &Reading<'_>, source: &Source) -> Vec<Item> {
        let (text, format) = (reading.text.as_ref(), reading.format());
        let mut limits = Limits::default();
        if let Some(encoder) = self.encoder {
            limits.window = encoder.max_tokens().saturating_sub(encoder.overhead_tokens(Role::Passage));
        }
        let mut described = serde_json::Map::new();
        if format == Format::Markdown {
            let said = front_matter(text);
            if !said.tags.is_empty() {
                described.insert("tags".to_owned(), said.tags.into());
            }
            if let Some(provider) = said.provider {
                described.insert("provider".to_owned(), provider.into());
            }
        }
        let updated_at = (source.stat.mtime_ns / 1_000_000).min(source.indexed_at);
        let mut seen: HashMap<_, usize> = HashMap::new();
        let found = chunks(reading, name_of(&source.path).as_deref(), self, &limits).into_iter().map(|chunk| {
            let title = chunk.headings.join(BELOW);
            let body = text[chunk.span.byte_start..chunk.span.byte_end].to_owned();
            let mut attributes = described.clone();
            if !chunk.context.is_empty() {
                attributes.insert(CONTEXT.to_owned(), text[chunk.context].into());
            }
            let hash = text_hash(&titled(&title, &body));
            let nth = seen.entry(hash).or_default();
            *nth += 1;
            Item {
                uid: chunk_uid(&source.path, &hash, *nth - 1),
                kind: Kind::Chunk,
                scope: source.scope.clone(),
                authority: Authority::Personal,
                state: State::Active,
                title,
                body,
                attributes: attributes.into(),
                path: Some(source.path.clone()),
                span: Some(chunk.span),
                created_at: source.indexed_at,
                updated_at,
            }
        });
        found.collect()
    }
}

impl CountTokens for Cutter<'_> {
    fn name(&self) -> &str {
        self.encoder.map_or(Characters.name(), |encoder| encoder.fingerprint().name())
    }

    fn count(&self, text: &str) -> usize {
        // A tokenizer that fails here fails again when the text is embedded, and is heard there.
        let by_model = self.encoder.map(|encoder| encoder.count_tokens(text).unwrap_or(text.len()));
        by_model.unwrap_or_else(|| Characters.count(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_by_its_name_or_its_folders() {
        let name = |path| name_of(path);
        assert_eq!(name("/docs/usage/key_export.rst.inc").as_deref(), Some("key export"));
        assert_eq!(name("/docs/cache-keys/README.md").as_deref(), Some("cache keys"));
        assert_eq!(name("/docs/.hidden.md").as_deref(), Some("hidden"));
        assert_eq!((name("/docs/2024-01.txt"), name("/")), (None, None));
    }
}
