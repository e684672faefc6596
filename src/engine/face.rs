//! What a face of the program needs of the layers below the engine, and nothing else of them: a face imports the
//! engine, plain types, what renders them, configuration and measurements. The command line is the first; servers stand
//! beside it.

/// Failures, for whoever tells them.
pub mod failure {
    pub use crate::error::{Diagnose, ErrorKind, Face, hint_through, io_kind};
}

/// Packs and what is wrong with them.
pub mod packs {
    pub use crate::canon::{Entry, EntryPattern, Finding, Fit, Severity, Step, Stored};
}

/// Models: where they come from, how they run.
pub mod models {
    pub use crate::embed::{
        Encoded, Encoder, EncoderSettings, FileCheck, Installed, Manifest, ModelKind, Origin, PipSettings,
        ProxySettings, PullEvent, State, StoreSettings,
    };
    pub use crate::vector::simd::Isa;
}

/// What is indexed, and what happened to it.
pub mod indexing {
    pub use crate::ingest::{IndexOptions, IndexReport, Progress, repository_of};
    pub use crate::store::{Fault, Forgotten, ForgottenPassage};
}

/// Whole stores, and where they are.
pub mod stores {
    pub use crate::store::{
        Mirrored, MirroredTable, Place, PostgresAccess, SharedJobs, SharedStore, StorePlace, StoredJob, is_address,
    };
}

/// What was learnt.
pub mod memory {
    pub use crate::store::{MemoryCount, MemoryFilter};
}

/// What tools did.
pub mod outcomes {
    pub use crate::outcome::draft::DraftedPack;
    pub use crate::outcome::pattern::{PatternKind, Place};
    pub use crate::outcome::{PayloadError, head, read, read_report};
    pub use crate::store::{OutcomeCounts, OutcomeFilter};
}

/// Tools of agents.
pub mod tools {
    pub use crate::tools::discover::Reason;
    pub use crate::tools::plan::{Because, Edge, Missing, Plan, dot, mermaid};
    pub use crate::tools::{NoTools, name_words, read_help, read_tools};
}

/// How lookups and searches are asked.
pub mod asking {
    pub use crate::chunk::endings;
    pub use crate::query::{Call, Filters, LookupOptions, SearchOptions, Stage, call};
    pub use crate::store::{ItemFilter, PathFilter};
    pub use crate::triage::Passing;
}

/// Frames and what has changed between two of them.
pub mod frames {
    pub use crate::pack::{Change, Tokenizer, diff};
}

/// Agents, and what they need to use `ken`.
pub mod agents {
    pub use crate::setup::{Client, Missing, Part, Scope, advice, entry, hook_text};
}

/// Files, programs and threads of this machine.
pub mod system {
    pub use crate::map::open::{Links, open, open_to_write, read, read_limited, read_text, stream_text};
    pub use crate::map::{Aside, write_aside};
    pub use crate::platform::{
        BROWSER, END_KEYS, FOLDERS, Folders, Group, HAS_GROUPS, HAS_SOCKETS, Keeper, RawTerminal, StopSignals,
        UnixListener, UnixStream, address_space, canonical, connect_to, given_listener, hear_stop, in_background,
        in_own_group, is_answered_at, listen_at, lower_priority, path_of, session_number, shows_colours, signal_of,
        soften_limits,
    };
    pub use crate::process::{Programs, as_typed, at_line, ourselves, own_path};
    pub use crate::store::make_private;
    pub use crate::threads::can_start;
}

/// Texts as they come in and go out.
pub mod text {
    pub use crate::text::{
        FINGERPRINT_VERSION, MAX_INPUT_BYTES, decode, ends, parse_timestamp, shell_quote, single_line, timestamp,
    };
}
