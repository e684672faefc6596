//! What can go wrong, as callers see it: a small set of kinds and the one table that gives each its exit code,
//! HTTP status and MCP error code.
//!
//! Every module keeps its own precise error enum and implements [`Diagnose`] for it; nothing here knows those enums.
//! Callers act on the kind, people read the message, and the hint says what to do next. The table has no wildcard arm:
//! a new kind does not compile until all three faces know it.

use std::error::Error;

/// What a failure means to the caller. Stable: scripts branch on the names and exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Wrong arguments or configuration.
    Usage,
    /// No index, or it must be rebuilt.
    NoIndex,
    /// A model was asked for and is missing or unusable.
    NoModel,
    /// Data that was stored is damaged.
    Damaged,
    /// Model and index do not belong together.
    Mismatch,
    /// Another process holds what is needed.
    Busy,
    /// A check ran and found faults.
    CheckFailed,
    /// Input or output failed: permission, disk full, no such file.
    Io,
    /// The network, or what answered on it, failed.
    Network,
    /// A fault of ours.
    Internal,
    /// The user or the system stopped the process.
    Interrupted,
}

impl ErrorKind {
    /// All kinds, in the order of their exit codes.
    pub const ALL: [ErrorKind; 11] = [
        Self::Usage,
        Self::NoIndex,
        Self::NoModel,
        Self::Damaged,
        Self::Mismatch,
        Self::Busy,
        Self::CheckFailed,
        Self::Io,
        Self::Network,
        Self::Internal,
        Self::Interrupted,
    ];

    /// Stable snake_case name, exit code of `ken`, HTTP status and JSON-RPC (MCP) error code.
    const fn row(self) -> (&'static str, u8, u16, i32) {
        match self {
            Self::Usage => ("usage", 2, 400, -32602),
            Self::NoIndex => ("no_index", 3, 409, -32010),
            Self::NoModel => ("no_model", 4, 503, -32011),
            Self::Damaged => ("damaged", 5, 500, -32012),
            Self::Mismatch => ("mismatch", 6, 409, -32013),
            Self::Busy => ("busy", 7, 503, -32014),
            Self::CheckFailed => ("check_failed", 8, 422, -32015),
            Self::Io => ("io", 9, 500, -32016),
            Self::Network => ("network", 10, 502, -32017),
            Self::Internal => ("internal", 70, 500, -32603),
            Self::Interrupted => ("interrupted", 130, 503, -32018),
        }
    }

    /// The name used in JSON errors.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The exit code of `ken`.
    pub const fn exit_code(self) -> u8 {
        self.row().1
    }

    /// The HTTP status of a failed request.
    pub const fn http_status(self) -> u16 {
        self.row().2
    }

    /// The JSON-RPC error code of a failed MCP call.
    pub const fn mcp_code(self) -> i32 {
        self.row().3
    }
}

/// How a caller reaches the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// By commands. The caller can run other commands too.
    CommandLine,
    /// By requests over HTTP.
    Http,
    /// By calls of tools, as agents make them.
    Agent,
}

/// An error that knows its kind and what to do about it.
pub trait Diagnose: Error + Send + Sync + 'static {
    /// What the failure means to the caller.
    fn kind(&self) -> ErrorKind;

    /// One sentence on what to do next, without the message repeated.
    fn hint(&self) -> Option<String> {
        None
    }

    /// The hint for a caller who uses this face. [`Diagnose::hint`] may name a command, which such a caller cannot run.
    /// An error for which there is a route or a tool names that here. All others use [`hint_through`].
    fn hint_for(&self, face: Face) -> Option<String> {
        hint_through(face, self.kind(), self.hint())
    }
}

/// A hint that fits this face. Callers over HTTP and agents cannot run our commands. If their own request is wrong, a
/// hint that names a command is left out. For other errors it is passed on to whoever runs the machine.
pub fn hint_through(face: Face, kind: ErrorKind, hint: Option<String>) -> Option<String> {
    let hint = hint?;
    if face == Face::CommandLine || !names_command(&hint) {
        return Some(hint);
    }
    match kind {
        ErrorKind::Usage | ErrorKind::CheckFailed => None,
        _ if hint.contains('`') => Some(format!("for whoever runs this machine: {hint}")),
        // One that is a command and nothing else.
        _ => Some(format!("for whoever runs this machine: `{hint}`")),
    }
}

/// Whether a hint names a command of ours or an option.
fn names_command(hint: &str) -> bool {
    hint.starts_with("ken ") || hint.contains("`ken ") || hint.split([' ', '`']).any(|word| word.starts_with("--"))
}

/// The kind of an input or output error: interruption is its own kind, everything else is [`ErrorKind::Io`].
pub fn io_kind(error: &std::io::Error) -> ErrorKind {
    match error.kind() {
        std::io::ErrorKind::Interrupted => ErrorKind::Interrupted,
        _ => ErrorKind::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn whoever_has_no_command_line_is_told_of_no_command_that_they_should_run() {
        let through = |face, kind, hint: &str| hint_through(face, kind, Some(hint.to_owned()));
        let pull = "`ken model pull` gets it";
        assert_eq!(through(Face::CommandLine, ErrorKind::NoModel, pull).as_deref(), Some(pull));
        for face in [Face::Http, Face::Agent] {
            let told = through(face, ErrorKind::NoModel, pull).unwrap();
            assert_eq!(told, "for whoever runs this machine: `ken model pull` gets it");
            let told = through(face, ErrorKind::NoIndex, "ken index PATH").unwrap();
            assert_eq!(told, "for whoever runs this machine: `ken index PATH`");
            assert_eq!(through(face, ErrorKind::Usage, "`ken memory list` shows them"), None);
            assert_eq!(through(face, ErrorKind::Usage, "choose another: --scope NAME"), None);
            assert_eq!(through(face, ErrorKind::Usage, "give more of the id").unwrap(), "give more of the id");
            assert_eq!(hint_through(face, ErrorKind::Usage, None), None);
        }
    }

    #[test]
    fn names_and_codes_are_unique() {
        let names: HashSet<_> = ErrorKind::ALL.iter().map(|k| k.name()).collect();
        let exits: HashSet<_> = ErrorKind::ALL.iter().map(|k| k.exit_code()).collect();
        let mcp: HashSet<_> = ErrorKind::ALL.iter().map(|k| k.mcp_code()).collect();
        assert_eq!((names.len(), exits.len(), mcp.len()), (11, 11, 11));
        // 0 and 1 are answers, not errors.
        assert!(ErrorKind::ALL.iter().all(|k| k.exit_code() > 1));
    }
}
