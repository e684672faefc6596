//! The table of keys: the name of every setting in files, its variables, and how its text becomes the field of
//! [`Settings`] that it stands for. Default and value are read off that struct.

use super::error::{ConfigError, Place};
use super::settings::{Prefer, Settings, Simd};
use crate::embed::{Choice, Precision};
use crate::pack::Tokenizer;
use crate::store::is_address;
use crate::text::edits;
use crate::types::MOST_NOISE;

/// Shown in place of a secret.
pub(super) const HIDDEN: &str = "(hidden)";

/// How a value is written.
struct Form<T> {
    /// What it may be, after "expected".
    expected: &'static str,
    read: fn(&str) -> Option<T>,
    /// In its one spelling, which `read` takes.
    show: fn(&T) -> String,
}

const TEXT: Form<String> =
    Form { expected: "text", read: |text| Some(text.to_owned()).filter(|t| !t.is_empty()), show: String::clone };
const OPTIONAL_TEXT: Form<Option<String>> = Form {
    expected: "text",
    read: |text| Some(Some(text.to_owned()).filter(|t| !t.is_empty())),
    show: |value| value.clone().unwrap_or_default(),
};
const ADDRESS: Form<Option<String>> = Form {
    expected: "postgres://USER@HOST/DATABASE",
    read: |text| (OPTIONAL_TEXT.read)(text).filter(|url| url.as_deref().is_none_or(is_address)),
    show: OPTIONAL_TEXT.show,
};
const LIST: Form<Vec<String>> = Form {
    expected: "a list with commas between",
    read: |text| {
        let parts = text.split(',').map(|part| part.trim().to_owned());
        Some(parts.filter(|part| !part.is_empty()).collect())
    },
    show: |list| list.join(","),
};
const SWITCH: Form<bool> = Form {
    expected: "true or false",
    read: |text| match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    },
    show: bool::to_string,
};
const COUNT: Form<usize> = Form {
    expected: "a whole number from 1 to 100",
    read: |text| text.parse().ok().filter(|count| (1..=100).contains(count)),
    show: usize::to_string,
};
const LONG: Form<usize> = Form {
    expected: "a whole number from 1 to 36500",
    read: |text| text.parse().ok().filter(|count| (1..=36_500).contains(count)),
    show: usize::to_string,
};
const TOKENS: Form<usize> = Form {
    expected: "a whole number from 1 to 10000000",
    read: |text| text.parse().ok().filter(|count| (1..=10_000_000).contains(count)),
    show: usize::to_string,
};
const COUNT_OR_AUTO: Form<Option<usize>> = Form {
    expected: "auto or a whole number from 1 to 100",
    read: |text| if text == "auto" { Some(None) } else { (COUNT.read)(text).map(Some) },
    show: |count| count.map_or_else(|| "auto".to_owned(), |count| count.to_string()),
};
/// A relevance, or nothing for the calibrated gate.
const OPTIONAL_SHARE: Form<Option<f32>> = Form {
    expected: "a number from 0 to 1",
    read: |text| match text {
        "" => Some(None),
        text => text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).map(Some),
    },
    show: |share| share.map_or_else(String::new, |share| share.to_string()),
};
const TARGET: Form<f64> = Form {
    expected: "a number above 0 and up to 1",
    read: |text| text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0),
    show: f64::to_string,
};
const NOISE: Form<f64> = Form {
    expected: "a number above 0 and up to 0.25",
    read: |text| text.parse().ok().filter(|share| *share > 0.0 && *share <= MOST_NOISE),
    show: f64::to_string,
};
const ENCODER: Form<Choice> = Form {
    expected: "auto, candle or fused",
    read: |text| word(text, &[Choice::Auto, Choice::Candle, Choice::Fused], ENCODER.show),
    show: |choice| {
        let name = match choice {
            Choice::Auto => "auto",
            Choice::Candle => "candle",
            Choice::Fused => "fused",
        };
        name.to_owned()
    },
};
const PRECISION: Form<Option<Precision>> = Form {
    expected: "auto, int8 or f32",
    read: |text| word(text, &[None, Some(Precision::Int8), Some(Precision::F32)], PRECISION.show),
    show: |precision| precision.map_or("auto", Precision::name).to_owned(),
};
const SIMD: Form<Simd> = Form {
    expected: "auto, scalar, avx2, avxvnni, avx512, neon, dotprod or i8mm",
    read: |text| word(text, &Simd::ALL, SIMD.show),
    show: |simd| simd.isa().unwrap_or("auto").to_owned(),
};
const PREFER: Form<Prefer> =
    Form { expected: "here or none", read: Prefer::of, show: |prefer| prefer.name().to_owned() };
const TOKENIZER: Form<Tokenizer> = Form {
    expected: "cl100k, o200k, model or chars",
    read: |text| word(text, &Tokenizer::ALL, TOKENIZER.show),
    show: Tokenizer::to_string,
};

/// The value whose name this is.
fn word<T: Copy>(text: &str, all: &[T], name: fn(&T) -> String) -> Option<T> {
    all.iter().find(|one| name(one) == text).copied()
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// `section.name`, as in the file.
    pub name: &'static str,
    /// Variables that set it, the first that is set wins.
    pub environment: &'static [&'static str],
    /// Whether a trusted repository may set it.
    pub repository: bool,
    /// Whether its value is never shown.
    pub secret: bool,
    /// One line for people.
    pub about: &'static str,
    /// What its value may be, after "expected".
    pub expected: &'static str,
    read: fn(&mut Settings, &str) -> bool,
    show: fn(&Settings) -> String,
}

/// The key of a field: its name is that of the field.
macro_rules! key {
    ($section:ident.$name:ident, $form:expr, $about:literal) => {
        Key {
            name: concat!(stringify!($section), ".", stringify!($name)),
            environment: &[],
            repository: false,
            secret: false,
            about: $about,
            expected: $form.expected,
            read: |settings, text| match ($form.read)(text) {
                Some(value) => {
                    settings.$section.$name = value;
                    true
                }
                None => false,
            },
            show: |settings| ($form.show)(&settings.$section.$name),
        }
    };
}

/// All settings.
pub const KEYS: &[Key] = &[
    Key { environment: &["KEN_MODEL"], ..key!(model.name, TEXT, "model by name, or a directory that holds one") },
    key!(model.reranker, TEXT, "model that reads question and text together, for search --rerank"),
    Key { environment: &["KEN_AUTO_PULL"], ..key!(model.auto_pull, SWITCH, "get the model when a lookup needs it") },
    Key { environment: &["KEN_ENCODER"], ..key!(model.encoder, ENCODER, "what runs the model: auto, candle, fused") },
    Key {
        environment: &["KEN_PRECISION"],
        ..key!(model.precision, PRECISION, "numbers in the model: auto (as its manifest says), int8, f32")
    },
    Key {
        environment: &["KEN_THREADS"],
        ..key!(model.threads, COUNT_OR_AUTO, "threads of the encoder; auto is one a core")
    },
    Key {
        environment: &["KEN_SIMD"],
        ..key!(model.simd, SIMD, "instructions that the encoder uses, for tests and comparisons")
    },
    Key { environment: &["KEN_LIMIT"], repository: true, ..key!(lookup.limit, COUNT, "hits per error") },
    Key { environment: &["KEN_MAX_ERRORS"], repository: true, ..key!(lookup.max_errors, COUNT, "errors per input") },
    Key {
        environment: &["KEN_MIN_RELEVANCE"],
        repository: true,
        ..key!(lookup.min_relevance, OPTIONAL_SHARE, "relevance to ask for in place of the calibrated gate")
    },
    Key {
        environment: &["KEN_KEEP_PASSING"],
        ..key!(
            run.keep_passing,
            SWITCH,
            "keep hashes of the lines that a command prints when it passes, and compare its failures with them"
        )
    },
    key!(run.keep_outcomes, SWITCH, "keep the outcome of each command that `ken run` runs, without secrets"),
    key!(outcomes.keep_days, LONG, "days for which the outcome of a run is kept; failures stay counted"),
    key!(tools.trace, SWITCH, "keep what each `ken tools find` rested on, without secrets: the last 1,000"),
    key!(
        index.recall_target,
        TARGET,
        "share of the nearest texts that a search must find; at 1 every vector is compared"
    ),
    Key {
        environment: &["KEN_BACKGROUND"],
        ..key!(
            index.background,
            SWITCH,
            "embed packs and tools, rebuild a large index and fit the gate of a shared store in the background"
        )
    },
    Key { repository: true, ..key!(search.limit, COUNT, "hits per search") },
    Key {
        repository: true,
        ..key!(search.max_noise, NOISE, "share of questions about other things that indexed texts may answer")
    },
    Key {
        repository: true,
        ..key!(
            search.prefer,
            PREFER,
            "whose files come first at about the same relevance: here (the repository that one is in), none"
        )
    },
    Key { repository: true, ..key!(pack.budget, TOKENS, "tokens of a frame") },
    Key {
        repository: true,
        ..key!(pack.tokenizer, TOKENIZER, "whose tokens a frame is counted in: cl100k, o200k, model, chars")
    },
    Key {
        environment: &["KEN_STORE_URL"],
        secret: true,
        ..key!(
            store.url,
            ADDRESS,
            "database in PostgreSQL that keeps everything in place of the data directory: postgres://USER@HOST/DATABASE"
        )
    },
    Key {
        environment: &["KEN_STORE_READ_URL"],
        secret: true,
        ..key!(store.read_url, ADDRESS, "replica of that database, which searches read from in place of it")
    },
    Key {
        environment: &["KEN_STORE_PASSWORD_FILE"],
        ..key!(store.password_file, OPTIONAL_TEXT, "file with the password for it, which you alone can read")
    },
    key!(
        store.ca_file,
        OPTIONAL_TEXT,
        "PEM file with the certificate authorities to trust; without it, those of this machine"
    ),
    key!(store.connect_timeout_s, COUNT, "seconds that connecting may take"),
    key!(store.statement_timeout_s, LONG, "seconds that one statement may take"),
    key!(serve.listen, TEXT, "address and port of the service"),
    key!(serve.hosts, LIST, "names that the service is reached by, beside those of this machine"),
    key!(serve.folders, LIST, "folders under which callers of the service may have files indexed"),
    Key { environment: &["HF_ENDPOINT"], ..key!(hub.endpoint, TEXT, "where models are pulled from") },
    Key {
        environment: &["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"],
        ..key!(hub.offline, SWITCH, "never ask the hub or a package registry")
    },
    Key {
        environment: &["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"],
        secret: true,
        ..key!(hub.token, OPTIONAL_TEXT, "sent to the hub alone")
    },
    Key {
        environment: &["KEN_PIP"],
        ..key!(pip.command, OPTIONAL_TEXT, "how to run pip; empty tries the usual names")
    },
];

impl Key {
    /// The key of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The name that was most likely meant by one that is none: the one with the fewest letters that differ. The part
    /// after the dot counts alone as well, where the section was left out or is another's.
    pub fn nearest(name: &str) -> &'static str {
        let name = &name.to_lowercase();
        let own = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let section = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        // The field weighs more than the section: whoever writes `search.budget` means the budget.
        let distance = |key: &Key| {
            let whole = edits(name, key.name);
            let parts = 2 * edits(&own(name), &own(key.name)) + usize::from(section(name) != section(key.name));
            whole.min(parts)
        };
        KEYS.iter().min_by_key(|key| distance(key)).map_or("", |key| key.name)
    }

    /// Takes a text as its value; says whether it fits.
    pub(super) fn read(&self, settings: &mut Settings, text: &str) -> bool {
        (self.read)(settings, text.trim())
    }

    /// The error for a text that is no value of this setting. It does not show the text of a secret setting: a mistyped
    /// address can still hold a password.
    pub(super) fn misfit(&self, text: &str, expected: &'static str, place: Place) -> ConfigError {
        ConfigError::Value {
            key: self.name.to_owned(),
            value: if self.secret { HIDDEN.to_owned() } else { text.to_owned() },
            expected,
            place,
        }
    }

    /// Its value in its one spelling, even if it is a secret; empty where there is none.
    pub fn value(&self, settings: &Settings) -> String {
        (self.show)(settings)
    }

    /// Its value when nothing sets it.
    pub fn default(&self) -> String {
        self.value(&Settings::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_read_as_it_is_written() {
        for key in KEYS {
            let mut settings = Settings::default();
            assert!(key.read(&mut settings, &key.default()), "{}", key.name);
            assert_eq!(settings, Settings::default(), "{}", key.name);
        }
    }

    #[test]
    fn every_key_has_a_field_of_its_own() {
        // Texts that some form takes and no default is.
        let words = ["true", "false", "7", "fused", "f32", "scalar", "o200k", "0.5", "0.1", "none", "other"];
        let texts = [&words[..], &["postgres://host/database"]].concat();
        for key in KEYS {
            let mut settings = Settings::default();
            let changed =
                texts.iter().any(|text| key.read(&mut settings, text) && key.value(&settings) != key.default());
            assert!(changed, "{}", key.name);
            let others = KEYS.iter().filter(|other| other.value(&settings) != other.default());
            assert_eq!(others.map(|other| other.name).collect::<Vec<_>>(), [key.name]);
        }
    }

    #[test]
    fn what_was_meant_is_found() {
        for (name, meant) in [
            ("lookup.limits", "lookup.limit"),
            ("search.limt", "search.limit"),
            ("budget", "pack.budget"),
            ("search.budget", "pack.budget"),
            ("models.name", "model.name"),
            ("hub.ofline", "hub.offline"),
            ("Lookup.Max_Errors", "lookup.max_errors"),
        ] {
            assert_eq!(Key::nearest(name), meant, "{name}");
        }
    }
}
