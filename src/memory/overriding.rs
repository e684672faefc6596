//! Reading packs and memory together: which memory stands before what a pack says.

use super::confidence::{OVERRIDES, effective};
use crate::types::{Authority, Kind, Memory, Overrides};

/// Why a memory of this authority and kind, validated or not, this sure (in hundredths), stands before a pack; none if
/// it does not. Team and organisation always do, a personal tactic only if a person confirmed it, a personal preference
/// from 0.8 on. A personal fact adds to what a pack says and takes nothing away from it.
pub fn overrides(authority: Authority, kind: Kind, validated: bool, confidence: u8) -> Option<Overrides> {
    match (authority, kind) {
        (Authority::Team | Authority::Org, _) => Some(Overrides::Authority),
        (Authority::Personal, Kind::Tactic) if validated => Some(Overrides::Validated),
        (Authority::Personal, Kind::Preference) if confidence >= OVERRIDES => Some(Overrides::Confidence),
        (Authority::Personal, _) => None,
    }
}

/// The same for a memory.
pub fn overrides_packs(memory: &Memory) -> Option<Overrides> {
    overrides(memory.authority, memory.kind, memory.validated, sure(memory))
}

/// How sure a memory is, in hundredths.
pub fn sure(memory: &Memory) -> u8 {
    effective(memory.raw_confidence, memory.sessions.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Authority x kind x validated x confidence: 3 x 4 x 2 x 101 rows.
    #[test]
    fn the_table_of_overrides() {
        let kinds = [Kind::Preference, Kind::Fact, Kind::Tactic, Kind::Problem];
        for authority in [Authority::Personal, Authority::Team, Authority::Org] {
            for kind in kinds {
                for validated in [false, true] {
                    for confidence in 0..=100 {
                        let wanted = match authority {
                            Authority::Team | Authority::Org => true,
                            Authority::Personal => match kind {
                                Kind::Tactic => validated,
                                Kind::Preference => confidence >= 80,
                                _ => false,
                            },
                        };
                        let got = overrides(authority, kind, validated, confidence);
                        assert_eq!(got.is_some(), wanted, "{authority:?} {kind:?} {validated} {confidence}");
                    }
                }
            }
        }
    }
}
