//! Capabilities: sets of tools that a task used together, and that did what was asked.
//!
//! A task is a stretch of one session: it ends where nothing happens for [`TASK_GAP_MS`], and where the session asks
//! for the tools of another task. Its capability are the distinct known tools that it called, in the order of their
//! first calls. It is made at the first success and counted from then on; whether it is worth a suggestion is decided
//! when one is asked for.

/// A session in which nothing happens for so long has gone on to another task: half an hour, the usual end of a visit
/// in web analytics.
pub const TASK_GAP_MS: i64 = 1_800_000;
/// Most tools of a capability; more are a day's work and not a task.
pub const MOST_TOGETHER: usize = 8;
/// Tasks that must have used it before it is suggested: once is no recurrence.
pub const LEAST_USES: u32 = 2;
/// Share of those tasks that must have gone well: what fails more often than not is no help.
pub const LEAST_SUCCESS: f64 = 0.5;
/// Most that are suggested for one task.
pub const MOST_SUGGESTED: usize = 3;

/// A call of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCall {
    /// Its number in the session.
    pub sequence: u32,
    /// When it ended, milliseconds since 1970.
    pub at: i64,
    /// The key of the tool; none if nobody knows it.
    pub tool: Option<String>,
    /// Whether it did what was asked.
    pub is_ok: bool,
}

/// A task of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDone {
    /// Its calls; there is at least one.
    pub calls: Vec<TaskCall>,
}

impl TaskDone {
    /// The number of its first call, which tells it from the other tasks of its session.
    pub fn first(&self) -> u32 {
        self.calls.first().map_or(0, |call| call.sequence)
    }

    /// When its last call ended, milliseconds since 1970.
    pub fn at(&self) -> i64 {
        self.calls.last().map_or(0, |call| call.at)
    }
}

/// What a task made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its tools in the order of their first calls, each once.
    pub tools: Vec<String>,
    /// Whether the last call of each did what was asked.
    pub is_ok: bool,
}

/// A set of tools that tasks used together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Its tools, in the order of the first task that it was made of.
    pub tools: Vec<String>,
    /// Tasks that used them, from the first that went well on.
    pub uses: u32,
    /// Those that went well.
    pub ok: u32,
    /// When it was used last, milliseconds since 1970.
    pub last_at: i64,
}

impl Capability {
    /// The share of its tasks that went well.
    pub fn success(&self) -> f64 {
        f64::from(self.ok) / f64::from(self.uses.max(1))
    }

    /// Whether it has been used often and well enough to be suggested.
    pub fn is_proven(&self) -> bool {
        self.uses >= LEAST_USES && self.success() >= LEAST_SUCCESS
    }
}

/// A capability that fits a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitsTask {
    /// Its place.
    pub capability: usize,
    /// How much of what so many tools can cover of the task it covers, in \[0, 1\].
    pub coverage: f64,
    /// Coverage times success, in \[0, 1\]: what the threshold is compared with.
    pub score: f64,
}

/// The tasks of a session, whose calls stand in order. `asked` are the numbers of the calls after which the session
/// asked for the tools of another task.
pub fn tasks_of(calls: &[TaskCall], asked: &[u32]) -> Vec<TaskDone> {
    let goes_on = |a: &TaskCall, b: &TaskCall| {
        let asked_between = asked.iter().any(|after| (a.sequence..b.sequence).contains(after));
        b.at.saturating_sub(a.at) <= TASK_GAP_MS && !asked_between
    };
    calls.chunk_by(goes_on).map(|calls| TaskDone { calls: calls.to_vec() }).collect()
}

/// What a task made: nothing of one tool, and of too many.
pub fn capability_of(task: &TaskDone) -> Option<Made> {
    let mut tools: Vec<(&str, bool)> = Vec::new();
    for call in &task.calls {
        let Some(tool) = call.tool.as_deref() else { continue };
        match tools.iter_mut().find(|(known, _)| *known == tool) {
            Some((_, is_ok)) => *is_ok = call.is_ok,
            None => tools.push((tool, call.is_ok)),
        }
    }
    (2..=MOST_TOGETHER).contains(&tools.len()).then(|| Made {
        is_ok: tools.iter().all(|(_, is_ok)| *is_ok),
        tools: tools.into_iter().map(|(tool, _)| tool.to_owned()).collect(),
    })
}

/// The capabilities that fit a task, best first: by the share of each tool, of which those that were used already are
/// left out.
///
/// ```text
/// coverage(C) = sum of share(t) over the tools t of C / sum of the greatest shares, as many as C has tools
/// score(C)    = coverage(C) * ok(C) / uses(C)
/// ```
///
/// Each capability is given with the places of its tools; one of a tool that is not offered is passed over.
pub fn fitting(capabilities: &[(Capability, Option<Vec<usize>>)], shares: &[f64], used: &[usize]) -> Vec<FitsTask> {
    let share = |tool: usize| shares.get(tool).copied().unwrap_or(0.0);
    let mut greatest: Vec<f64> = (0..shares.len()).filter(|tool| !used.contains(tool)).map(share).collect();
    greatest.sort_by(|a, b| b.total_cmp(a));
    let fits = |(capability, (known, tools)): (usize, &(Capability, Option<Vec<usize>>))| {
        let left: Vec<usize> = tools.as_ref()?.iter().copied().filter(|tool| !used.contains(tool)).collect();
        let most: f64 = greatest.iter().take(left.len()).sum();
        if !known.is_proven() || left.is_empty() || most <= 0.0 {
            return None;
        }
        let coverage = (left.iter().map(|tool| share(*tool)).sum::<f64>() / most).clamp(0.0, 1.0);
        Some(FitsTask { capability, coverage, score: coverage * known.success() })
    };
    let mut all: Vec<FitsTask> = capabilities.iter().enumerate().filter_map(fits).collect();
    let size = |one: &FitsTask| capabilities[one.capability].0.tools.len();
    let uses = |one: &FitsTask| capabilities[one.capability].0.uses;
    all.sort_by(|a, b| {
        let order = b.score.total_cmp(&a.score).then(size(b).cmp(&size(a))).then(uses(b).cmp(&uses(a)));
        order.then(a.capability.cmp(&b.capability))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(sequence: u32, minute: i64, tool: &str, is_ok: bool) -> TaskCall {
        TaskCall { sequence, at: minute * 60_000, tool: Some(tool.to_owned()), is_ok }
    }

    fn proven(tools: &[&str], uses: u32, ok: u32) -> Capability {
        Capability { tools: tools.iter().map(|tool| (*tool).to_owned()).collect(), uses, ok, last_at: 0 }
    }

    #[test]
    fn a_task_ends_with_a_pause_or_with_the_next_question() {
        let calls = [call(1, 0, "a", true), call(2, 30, "b", true), call(3, 61, "c", true), call(4, 62, "d", true)];
        let firsts = |asked: &[u32]| tasks_of(&calls, asked).iter().map(TaskDone::first).collect::<Vec<_>>();
        assert_eq!(firsts(&[]), [1, 3]);
        assert_eq!(firsts(&[3]), [1, 3, 4]);
        assert_eq!(firsts(&[0, 1, 4]), [1, 2, 3], "before the first and after the last call nothing is parted");
        assert!(tasks_of(&[], &[1]).is_empty());
    }

    #[test]
    fn the_last_call_of_each_tool_says_how_it_went() {
        let task = |calls: &[TaskCall]| capability_of(&TaskDone { calls: calls.to_vec() });
        let made = task(&[call(1, 0, "b", false), call(2, 0, "a", true), call(3, 0, "b", true)]).unwrap();
        assert_eq!((made.tools, made.is_ok), (vec!["b".to_owned(), "a".to_owned()], true));
        let failed = task(&[call(1, 0, "b", true), call(2, 0, "a", true), call(3, 0, "b", false)]).unwrap();
        assert!(!failed.is_ok);
        assert_eq!(task(&[call(1, 0, "a", true), call(2, 0, "a", true)]), None);
        let unknown = TaskCall { tool: None, ..call(2, 0, "", false) };
        assert_eq!(task(&[call(1, 0, "a", true), unknown]), None);
        let many: Vec<TaskCall> = (1..=9).map(|at| call(at, 0, &at.to_string(), true)).collect();
        assert!(task(&many[..8]).is_some() && task(&many).is_none());
    }

    #[test]
    fn what_covers_the_task_and_went_well_fits_best() {
        let all = [
            (proven(&["a", "b"], 5, 5), Some(vec![0, 1])),
            (proven(&["a", "c"], 5, 5), Some(vec![0, 2])),
            (proven(&["a", "b"], 5, 3), Some(vec![0, 1])),
            (proven(&["a", "b"], 1, 1), Some(vec![0, 1])),
            (proven(&["a", "b"], 5, 2), Some(vec![0, 1])),
            (proven(&["a", "x"], 5, 5), None),
        ];
        let found = fitting(&all, &[0.5, 0.3, 0.1, 0.1], &[]);
        let places: Vec<usize> = found.iter().map(|one| one.capability).collect();
        assert_eq!(places, [0, 1, 2], "once, mostly failed, and not offered are left out");
        assert!((found[0].score - 1.0).abs() < 1e-12 && (found[1].score - 0.75).abs() < 1e-12);
        let after = fitting(&all, &[0.5, 0.3, 0.1, 0.1], &[0, 1]);
        assert_eq!(after.len(), 1, "one that was used as a whole is not suggested again: {after:?}");
    }

    proptest! {
        /// Every call is in one task, in order, and each border has its reason.
        #[test]
        fn tasks_tile_their_session(
            gaps in prop::collection::vec(0i64..4_000_000, 0..40),
            asked in prop::collection::vec(0u32..45, 0..6),
        ) {
            let mut at = 0;
            let calls: Vec<TaskCall> = gaps.iter().zip(1..).map(|(gap, sequence)| {
                at += gap;
                TaskCall { sequence, at, tool: None, is_ok: true }
            }).collect();
            let tasks = tasks_of(&calls, &asked);
            let all: Vec<TaskCall> = tasks.iter().flat_map(|task| task.calls.clone()).collect();
            prop_assert_eq!(&all, &calls);
            for call in calls.iter().skip(1) {
                let parted = tasks.iter().any(|task| task.first() == call.sequence);
                let gap = gaps[call.sequence as usize - 1];
                prop_assert_eq!(parted, gap > TASK_GAP_MS || asked.contains(&(call.sequence - 1)));
            }
        }

        /// Scores are in [0, 1], in order, and only what is proven and offered is there.
        #[test]
        fn scores_are_bounded_and_in_order(
            sets in prop::collection::vec((prop::collection::btree_set(0usize..9, 2..5), 1u32..9, 0u32..9), 0..12),
            shares in prop::collection::vec(0.0f64..1.0, 9),
            used in prop::collection::vec(0usize..9, 0..4),
        ) {
            let all: Vec<(Capability, Option<Vec<usize>>)> = sets.iter().map(|(set, uses, ok)| {
                let tools: Vec<String> = set.iter().map(usize::to_string).collect();
                let capability = Capability { tools, uses: *uses, ok: (*ok).min(*uses), last_at: 0 };
                (capability, Some(set.iter().copied().collect()))
            }).collect();
            let found = fitting(&all, &shares, &used);
            prop_assert!(found.iter().all(|one| (0.0..=1.0).contains(&one.score) && one.score <= one.coverage));
            prop_assert!(found.windows(2).all(|two| two[0].score >= two[1].score));
            prop_assert!(found.iter().all(|one| all[one.capability].0.is_proven()));
        }
    }
}
