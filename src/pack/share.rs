//! How a budget is shared out among the parts of a frame.

/// What each part may cost of 15,500 tokens (requirements F).
const TASK: usize = 2_000;
const KNOWLEDGE: usize = 10_000;
const LEARNINGS: usize = 2_000;
const STATE: usize = 1_000;
const INSTRUCTIONS: usize = 500;

/// Tokens that the parts need, or may cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shares {
    pub task: usize,
    pub knowledge: usize,
    pub learnings: usize,
    pub state: usize,
    pub instructions: usize,
}

impl Shares {
    /// What each part may cost if the others use all of theirs.
    pub fn of(budget: usize) -> Self {
        let part = |weight: usize| budget * weight / (TASK + KNOWLEDGE + LEARNINGS + STATE + INSTRUCTIONS);
        Self {
            task: part(TASK),
            knowledge: part(KNOWLEDGE),
            learnings: part(LEARNINGS),
            state: part(STATE),
            instructions: part(INSTRUCTIONS),
        }
    }

    /// What each part gets when the fixed ones need so much. The task is whole or there is no frame (`None`); what
    /// somebody does not use is passed on: to the instructions, to the state, and to knowledge, which can use all.
    pub fn granted(budget: usize, needed: &Self) -> Option<Self> {
        let left = budget.checked_sub(needed.task)?;
        let share = Self::of(budget);
        // A task beyond its share costs all the others in proportion.
        let scaled = |part: usize| part * left / (budget - share.task).max(1);
        let pool = left - scaled(share.knowledge).min(left);
        let learnings = needed.learnings.min(pool);
        let pool = pool - learnings;
        let state_is_sure_of = needed.state.min(scaled(share.state));
        let instructions = needed.instructions.min(pool.saturating_sub(state_is_sure_of));
        let state = needed.state.min(pool - instructions);
        let knowledge = left - learnings - instructions - state;
        Some(Self { task: needed.task, knowledge, learnings, state, instructions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_are_those_of_the_plan_and_what_is_left_is_passed_on() {
        let share = Shares { task: 2_000, knowledge: 10_000, learnings: 2_000, state: 1_000, instructions: 500 };
        assert_eq!(Shares::of(15_500), share);
        let granted = |task, state, instructions| {
            let needed = Shares { task, state, instructions, learnings: 20, knowledge: 0 };
            Shares::granted(15_500, &needed).map(|s| [s.task, s.knowledge, s.state, s.instructions])
        };
        assert_eq!(granted(100, 0, 0), Some([100, 15_380, 0, 0]));
        // More than their shares while the others leave some; knowledge keeps its own.
        assert_eq!(granted(2_000, 1_500, 900), Some([2_000, 11_080, 1_500, 900]));
        assert_eq!(granted(2_000, 9_000, 9_000), Some([2_000, 10_000, 1_000, 2_480]));
        assert_eq!(granted(15_500, 10, 10), Some([15_500, 0, 0, 0]));
        assert_eq!(granted(15_501, 0, 0), None);
    }

    proptest! {
        #[test]
        fn nothing_is_granted_twice(
            budget in 0usize..200_000,
            task in 0usize..30_000,
            state in 0usize..30_000,
            instructions in 0usize..30_000,
            learnings in 0usize..40,
        ) {
            let needed = Shares { task, knowledge: 0, learnings, state, instructions };
            match Shares::granted(budget, &needed) {
                None => prop_assert!(task > budget),
                Some(s) => {
                    prop_assert_eq!(s.task + s.knowledge + s.learnings + s.state + s.instructions, budget);
                    prop_assert!(s.state <= state && s.instructions <= instructions && s.learnings <= learnings);
                    let share = Shares::of(budget);
                    if task <= share.task {
                        prop_assert!(s.knowledge >= share.knowledge && s.state >= state.min(share.state));
                    }
                }
            }
        }
    }
}
