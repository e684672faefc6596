//! The items. Each scope has a known share of them, and words are as frequent as in natural text (Zipf).

use kenning::types::{Authority, Item, Kind, Scope, State};

/// Components of a vector.
pub const DIMS: usize = 384;
/// Shares of the items that have each scope.
pub const SHARES: [(&str, f64); 5] =
    [("50 %", 0.5), ("10 %", 0.1), ("1 %", 0.01), ("0.1 %", 0.001), ("0.01 %", 0.0001)];
/// Words of a text.
const WORDS: usize = 60;
/// Different words.
const VOCABULARY: f64 = 50_000.0;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The scope of item number `at`.
pub fn scope(at: u64) -> &'static str {
    let mut drawn = Random(at ^ (99 << 40)).share();
    for (name, share) in SHARES {
        if drawn < share {
            return name;
        }
        drawn -= share;
    }
    "rest"
}

/// Item number `at`.
pub fn item(at: u64) -> Item {
    let mut random = Random(at.wrapping_mul(0x2545_f491_4f6c_dd1d));
    // The word of rank r is drawn in proportion to 1 / r (Zipf).
    let words: Vec<String> = (0..WORDS).map(|_| format!("word{}", VOCABULARY.powf(random.share()) as usize)).collect();
    Item {
        uid: format!("chunk/{at}"),
        kind: Kind::Chunk,
        scope: Scope::repository(scope(at)),
        authority: Authority::Personal,
        state: State::Active,
        title: String::new(),
        body: format!("{at} {}", words.join(" ")),
        attributes: serde_json::json!({}),
        path: None,
        span: None,
        created_at: 1,
        updated_at: 1,
    }
}
