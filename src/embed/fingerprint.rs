//! The identity of an encoder: a digest over everything that decides a passage vector.
//!
//! Covered: weights, tokenizer, architecture with its head count, norm and padding id, activation, pooling, passage
//! prefix, normalisation, length and precision. Not covered: the query prefix, which no stored vector depends on, and
//! which encoder ran. The digested text is versioned; changing it makes every index ask for a rebuild.

use super::config::Config;
use super::{Manifest, hash};
use crate::types::Fingerprint;

/// Digests of the two files that the fingerprint covers as bytes.
pub(crate) struct Digests<'a> {
    pub weights: &'a str,
    pub tokenizer: &'a str,
}

pub(crate) fn fingerprint(manifest: &Manifest, config: &Config, digests: &Digests<'_>, precision: &str) -> Fingerprint {
    let text = format!(
        "kenning fingerprint 1\nweights {}\ntokenizer {}\narchitecture {} heads {} eps {:e} pad {}\nactivation {}\n\
         pooling {}\npassage_prefix {:?}\nnormalise l2\nmax_tokens {}\nprecision {precision}\n",
        digests.weights,
        digests.tokenizer,
        config.architecture.name(),
        config.heads,
        config.norm_eps,
        config.pad_id,
        config.activation.name(),
        manifest.pooling.name(),
        manifest.passage_prefix,
        manifest.max_tokens,
    );
    Fingerprint::new(&manifest.name, &hash::of_bytes(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::manifest::Pooling;

    #[test]
    fn covers_what_decides_a_passage_and_nothing_else() {
        let base = Manifest::builtin_named("bge-small-en-v1.5").unwrap().clone();
        let config = Config {
            architecture: base.architecture,
            activation: base.activation,
            vocab: 10,
            hidden: 384,
            layers: 1,
            heads: 12,
            intermediate: 8,
            positions: 512,
            token_types: 2,
            pad_id: 0,
            norm_eps: 1e-12,
        };
        let digests = Digests { weights: "w", tokenizer: "t" };
        let of = |m: &Manifest| fingerprint(m, &config, &digests, "f32");
        let first = of(&base);
        assert!(first.as_str().starts_with("bge-small-en-v1.5@"));
        assert_eq!(first, of(&Manifest { query_prefix: "q: ".into(), ..base.clone() }));
        assert_ne!(first, of(&Manifest { passage_prefix: "p: ".into(), ..base.clone() }));
        assert_ne!(first, of(&Manifest { pooling: Pooling::Mean, ..base.clone() }));
        assert_ne!(first, of(&Manifest { max_tokens: 256, ..base.clone() }));
        assert_ne!(first, fingerprint(&base, &config, &Digests { weights: "x", tokenizer: "t" }, "f32"));
        assert_ne!(first, fingerprint(&base, &config, &Digests { weights: "w", tokenizer: "u" }, "f32"));
        assert_ne!(first, fingerprint(&base, &config, &digests, "int8"));
        assert_ne!(first, fingerprint(&base, &Config { heads: 6, ..config.clone() }, &digests, "f32"));
    }
}
