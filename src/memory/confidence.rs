//! How sure a memory is, in hundredths: whole numbers, because 0.7 + 2 x 0.05 must reach 0.8.
//!
//! The constants are those of the requirements ("Session-weighted confidence").

/// What is first observed.
pub const BASE: u8 = 50;
/// What a correction adds.
pub const CORRECTION: u8 = 20;
/// What meeting it once more adds.
pub const REINFORCEMENT: u8 = 10;
/// What it falls to when something speaks against it.
pub const CONTRADICTED: u8 = 30;
/// The most that one session can make of it.
pub const CEILING: u8 = 70;
/// What each further session adds.
pub const PER_SESSION: u8 = 5;
/// The most that sessions add.
pub const MOST_OF_SESSIONS: u8 = 20;
/// From here on a personal preference stands before a pack.
pub const OVERRIDES: u8 = 80;
/// Certainty.
const ONE: u8 = 100;

/// Sessions that are kept: more make no difference, to confidence (5) or to frequency (50).
pub const MOST_SESSIONS: usize = 50;

/// The raw confidence after something was added to it.
pub fn raised(raw: u8, by: u8) -> u8 {
    raw.saturating_add(by).min(CEILING)
}

/// What sessions add: nothing for the first.
pub fn session_bonus(sessions: usize) -> u8 {
    let further = u8::try_from(sessions.saturating_sub(1)).unwrap_or(u8::MAX);
    further.saturating_mul(PER_SESSION).min(MOST_OF_SESSIONS)
}

/// How sure a memory is, in hundredths, with the sessions that speak for it.
pub fn effective(raw: u8, sessions: usize) -> u8 {
    raw.saturating_add(session_bonus(sessions)).min(ONE)
}

/// The two-sided 95 % quantile of the normal distribution.
const Z: f32 = 1.96;

/// Lower bound of the share of attempts that work, at 95 %, in \[0, 1\]; 0 without attempts.
///
/// Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
pub fn wilson(worked: u32, attempts: u32) -> f32 {
    if attempts == 0 {
        return 0.0;
    }
    let n = attempts as f32;
    let share = worked.min(attempts) as f32 / n;
    let middle = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - spread) / (1.0 + Z * Z / n)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value of the model, for raw confidences and sessions.
    #[test]
    fn the_table_of_effective_confidence() {
        for raw in (CONTRADICTED..=CEILING).step_by(10) {
            for (sessions, bonus) in [(0, 0), (1, 0), (2, 5), (3, 10), (4, 15), (5, 20), (6, 20), (50, 20), (4000, 20)]
            {
                assert_eq!(effective(raw, sessions), raw + bonus, "{raw} in {sessions} sessions");
            }
        }
        assert_eq!(effective(70, 3), OVERRIDES, "0.7 + 2 x 0.05 is 0.80");
        assert_eq!(effective(70, 2), 75);
        assert_eq!(effective(100, 5), 100);
    }

    #[test]
    fn the_table_of_raw_confidence() {
        for (raw, by, after) in [
            (BASE, CORRECTION, 70),
            (BASE, REINFORCEMENT, 60),
            (60, REINFORCEMENT, 70),
            (70, REINFORCEMENT, 70),
            (60, CORRECTION, 70),
            (70, CORRECTION, 70),
            (CONTRADICTED, CORRECTION, 50),
            (CONTRADICTED, REINFORCEMENT, 40),
        ] {
            assert_eq!(raised(raw, by), after, "{raw} + {by}");
        }
    }

    /// Values of the formula as a reference implementation gives them (statsmodels, `proportion_confint`).
    #[test]
    fn wilsons_bound() {
        for (worked, attempts, bound) in [
            (0, 0, 0.0),
            (1, 1, 0.2065),
            (2, 2, 0.3424),
            (5, 5, 0.5655),
            (9, 10, 0.5958),
            (0, 3, 0.0),
            (50, 100, 0.4038),
        ] {
            assert!((wilson(worked, attempts) - bound).abs() < 1e-3, "{worked} of {attempts}");
        }
    }
}
