//! The words: what an agent is told at the start, five modes and two workflows. They name no agent and no vendor.

/// A spec that is written to a file of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// What it is for, in one sentence without a colon, so that it can stand in YAML as it is.
    pub about: &'static str,
    /// All of it.
    pub words: &'static str,
}

/// What an agent is told in the file that it reads at the start.
pub(super) const PROTOCOL: &str = include_str!("texts/protocol.md");

/// The modes.
pub(super) const MODES: [Spec; 5] = [
    Spec {
        name: "analyst",
        about: "Finds out what is asked, what is there and what is known, before anything is changed",
        words: include_str!("texts/analyst.md"),
    },
    Spec {
        name: "architect",
        about: "Decides how parts fit together and writes down why",
        words: include_str!("texts/architect.md"),
    },
    Spec {
        name: "developer",
        about: "Makes a change that works and is tested",
        words: include_str!("texts/developer.md"),
    },
    Spec { name: "designer", about: "Makes what people see, read and type", words: include_str!("texts/designer.md") },
    Spec {
        name: "orchestrator",
        about: "Cuts a large task into parts, gives each to the right mode and puts the results together",
        words: include_str!("texts/orchestrator.md"),
    },
];

/// The workflows.
pub(super) const WORKFLOWS: [Spec; 2] = [
    Spec {
        name: "quality-gate",
        about: "Decides whether a change may go on",
        words: include_str!("texts/quality-gate.md"),
    },
    Spec {
        name: "extract-learnings",
        about: "Takes out of a session what somebody will need again",
        words: include_str!("texts/extract-learnings.md"),
    },
];
