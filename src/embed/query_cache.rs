//! Questions that are asked again are not encoded again.
//!
//! Wraps an [`Encoder`]: a call with a few texts looks each up by role and text hash. One cache belongs to one encoder
//! and so to one fingerprint; it lives in memory only, because what is looked up is never written down. Passages in
//! bulk pass through.

use super::{EmbedError, Encoded, Encoder, Running};
use crate::recent::Recent;
use crate::text::{TextHash, text_hash};
use crate::types::{Fingerprint, Role};
use std::collections::BTreeMap;

/// Calls with more texts than this are bulk.
const MAX_CACHED_TEXTS: usize = 8;

/// Bytes that vectors may take: 2,700 questions at 384 components.
pub const CACHE_BYTES: usize = 4 << 20;

/// An encoder that remembers what it was asked lately.
pub struct QueryCache {
    inner: Box<dyn Encoder>,
    answers: Recent<(bool, TextHash), Encoded>,
}

impl QueryCache {
    /// Keeps at most `cache_bytes` of vectors.
    pub fn new(inner: Box<dyn Encoder>, cache_bytes: usize) -> Self {
        let capacity = cache_bytes / (4 * inner.dims().max(1));
        Self { inner, answers: Recent::new(capacity) }
    }

    /// What is kept of these.
    fn find(&self, keys: &[(bool, TextHash)]) -> Vec<Option<Encoded>> {
        keys.iter().map(|key| self.answers.get(key)).collect()
    }
}

impl Encoder for QueryCache {
    fn fingerprint(&self) -> &Fingerprint {
        self.inner.fingerprint()
    }

    fn running(&self) -> Running {
        self.inner.running()
    }

    fn dims(&self) -> usize {
        self.inner.dims()
    }

    fn max_tokens(&self) -> usize {
        self.inner.max_tokens()
    }

    fn prefix(&self, role: Role) -> &str {
        self.inner.prefix(role)
    }

    fn overhead_tokens(&self, role: Role) -> usize {
        self.inner.overhead_tokens(role)
    }

    fn encode(&self, texts: &[&str], role: Role, progress: &mut dyn FnMut(usize)) -> Result<Vec<Encoded>, EmbedError> {
        if texts.len() > MAX_CACHED_TEXTS {
            return self.inner.encode(texts, role, progress);
        }
        let keys = keys(texts, role);
        let mut found = self.find(&keys);
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| found[at].is_none()).collect();
        if !missing.is_empty() {
            let wanted: Vec<&str> = missing.iter().map(|&at| texts[at]).collect();
            for (&at, answer) in missing.iter().zip(self.inner.encode(&wanted, role, &mut |_| {})?) {
                self.answers.keep(keys[at], answer.clone());
                found[at] = Some(answer);
            }
        }
        progress(texts.len());
        Ok(found.into_iter().flatten().collect())
    }

    fn encode_roles(&self, texts: &[&str], roles: &[Role]) -> Result<Vec<Vec<Encoded>>, EmbedError> {
        if texts.len() > MAX_CACHED_TEXTS {
            return self.inner.encode_roles(texts, roles);
        }
        let keys: Vec<Vec<(bool, TextHash)>> = roles.iter().map(|role| keys(texts, *role)).collect();
        let mut found: Vec<Vec<Option<Encoded>>> = keys.iter().map(|keys| self.find(keys)).collect();
        // Texts by the roles they are missing in: nearly always all texts miss the same, and one call gets them.
        let mut wanted: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        let lacks = |text: usize| (0..roles.len()).filter(|&role| found[role][text].is_none()).collect::<Vec<usize>>();
        (0..texts.len()).for_each(|text| wanted.entry(lacks(text)).or_default().push(text));
        for (missing, at) in wanted.into_iter().filter(|(missing, _)| !missing.is_empty()) {
            let some_texts: Vec<&str> = at.iter().map(|&at| texts[at]).collect();
            let some_roles: Vec<Role> = missing.iter().map(|&role| roles[role]).collect();
            for (&role, side) in missing.iter().zip(self.inner.encode_roles(&some_texts, &some_roles)?) {
                for (&text, answer) in at.iter().zip(side) {
                    self.answers.keep(keys[role][text], answer.clone());
                    found[role][text] = Some(answer);
                }
            }
        }
        Ok(found.into_iter().map(|side| side.into_iter().flatten().collect()).collect())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.inner.count_tokens(text)
    }
}

/// Under what the answers to these texts are entries.
fn keys(texts: &[&str], role: Role) -> Vec<(bool, TextHash)> {
    texts.iter().map(|text| (role == Role::Query, text_hash(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Precision;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts what it is asked for; a vector tells text and role.
    struct Counting(Fingerprint, Arc<AtomicUsize>);

    impl Encoder for Counting {
        fn fingerprint(&self) -> &Fingerprint {
            &self.0
        }
        fn running(&self) -> Running {
            Running { encoder: "test", precision: Precision::F32, kernel: "none", threads: 1 }
        }
        fn dims(&self) -> usize {
            2
        }
        fn max_tokens(&self) -> usize {
            9
        }
        fn prefix(&self, role: Role) -> &str {
            if role == Role::Query { "asked: " } else { "" }
        }
        fn overhead_tokens(&self, _: Role) -> usize {
            0
        }
        fn encode(&self, texts: &[&str], role: Role, _: &mut dyn FnMut(usize)) -> Result<Vec<Encoded>, EmbedError> {
            self.1.fetch_add(texts.len(), Ordering::Relaxed);
            let side = f32::from(u8::from(role == Role::Query));
            let one = |text: &&str| Encoded { vector: vec![text.len() as f32, side], tokens: 1, truncated: false };
            Ok(texts.iter().map(one).collect())
        }
        fn count_tokens(&self, _: &str) -> Result<usize, EmbedError> {
            Ok(1)
        }
    }

    fn cache(bytes: usize) -> (QueryCache, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        (QueryCache::new(Box::new(Counting(Fingerprint::new("m", "00"), count.clone())), bytes), count)
    }

    fn ask(cache: &QueryCache, texts: &[&str], role: Role) -> Vec<Vec<f32>> {
        cache.encode(texts, role, &mut |_| {}).unwrap().into_iter().map(|e| e.vector).collect()
    }

    #[test]
    fn each_text_is_encoded_once_for_each_role() {
        let (cache, count) = cache(CACHE_BYTES);
        for _ in 0..3 {
            assert_eq!(ask(&cache, &["a", "bcd", "a"], Role::Query)[1], [3.0, 1.0]);
            assert_eq!(ask(&cache, &["bcd"], Role::Passage), [[3.0, 0.0]]);
        }
        // The first call had the same text twice.
        assert_eq!(count.load(Ordering::Relaxed), 4);
        let many = ["x"; MAX_CACHED_TEXTS + 1];
        ask(&cache, &many, Role::Query);
        ask(&cache, &many, Role::Query);
        assert_eq!(count.load(Ordering::Relaxed), 4 + 2 * many.len(), "bulk passes through");
    }

    #[test]
    fn only_what_a_role_lacks_is_encoded() {
        let (cache, count) = cache(CACHE_BYTES);
        let both = [Role::Passage, Role::Query];
        ask(&cache, &["a"], Role::Query);
        let sides = |texts: &[&str]| -> Vec<Vec<Vec<f32>>> {
            let sides = cache.encode_roles(texts, &both).unwrap();
            sides.into_iter().map(|side| side.into_iter().map(|e| e.vector).collect()).collect()
        };
        for _ in 0..2 {
            let want = vec![vec![vec![1.0, 0.0], vec![3.0, 0.0]], vec![vec![1.0, 1.0], vec![3.0, 1.0]]];
            assert_eq!(sides(&["a", "bcd"]), want);
            // One text was there in one role: three of the four sides were made, once.
            assert_eq!(count.load(Ordering::Relaxed), 1 + 3);
        }
        assert_eq!(ask(&cache, &["bcd"], Role::Passage), [[3.0, 0.0]]);
        let many = ["x"; MAX_CACHED_TEXTS + 1];
        for _ in 0..2 {
            assert_eq!(sides(&many)[1], vec![vec![1.0, 1.0]; many.len()]);
        }
        assert_eq!(count.load(Ordering::Relaxed), 4 + 4 * many.len(), "bulk passes through");
    }

    #[test]
    fn it_holds_no_more_than_it_may() {
        let (cache, count) = cache(10 * 8);
        for text in 0..100 {
            ask(&cache, &[&"y".repeat(text + 2)], Role::Query);
            // Asked again and again, this one stays.
            assert_eq!(ask(&cache, &["z"], Role::Query), [[1.0, 1.0]]);
        }
        assert_eq!(count.load(Ordering::Relaxed), 101);
        // The first had to make room.
        ask(&cache, &["yy"], Role::Query);
        assert_eq!(count.load(Ordering::Relaxed), 102);
    }
}
