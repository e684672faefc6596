//! What the test knows of shown commands: what stands in for their placeholders, and each that is not run as it stands,
//! with the reason.

use super::shell::MODEL;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What is done with a command that is not run as it stands.
#[derive(Debug, Clone, Copy)]
pub enum How {
    /// Its verb and options are held against the help.
    Read,
    /// This is run in its place.
    Instead(&'static str),
    /// This is run in its place, in a home of its own without a model.
    Alone(&'static str),
    /// It is run, and this exit code is right.
    Exits(i32),
    /// A command of another program is not run; the files of this repository that it names must exist.
    Elsewhere,
    /// It is no command.
    Text,
}

/// A command, or its beginning with a star behind it; what is done with it; why.
type Known = (&'static str, How, &'static str);

/// One of the built-in packs; `tests/canon_packs.rs` checks all.
const ONE_PACK: &str = "ken canon check \"$REPOSITORY/canon/redis.json\"";

/// An answer, and what somebody says of it.
const WORKED: &str = "export KEN_SESSION=1; ken lookup \"fatal: refusing to merge unrelated histories\"; \
    ken lookup --worked";

/// A command that failed and works now.
const OVERCAME: &str = "export KEN_SESSION=1; ken run --learn -- cat lever; touch lever; \
    ken run --learn -- cat lever; ken remember \"Install jq\" --overcame";

/// Agents set up where they are used, and all taken out again.
const IN_A_REPOSITORY: &str = "mkdir -p crew/.git crew/.cursor && cd crew && \
    ken init --client cursor --client codex && \
    ken init --without hook --without modes && ken init --remove";
const IN_A_HOME: &str = "mkdir -p ~/.cursor && ken init --user && ken init --user --remove";

/// A fit to a set.
const ONE_SET: &str = "ken bench calibrate sets/rustc --max-noise 0.05 --save";

const KNOWN: &[Known] = &[
    ("cargo build *", How::Elsewhere, "builds"),
    ("cargo test *", How::Elsewhere, "runs this test"),
    ("cargo fmt *", How::Elsewhere, "a check of continuous integration"),
    ("cargo clippy *", How::Elsewhere, "a check of continuous integration"),
    ("cargo deny *", How::Elsewhere, "a check of continuous integration"),
    ("cargo bench *", How::Elsewhere, "takes minutes"),
    (".ci/platforms*", How::Elsewhere, "takes an hour, and packages of the system"),
    ("cargo install *", How::Elsewhere, "installs the program for the tester"),
    ("cargo binstall *", How::Elsewhere, "needs a release"),
    ("curl *", How::Elsewhere, "needs a release"),
    ("less install.sh", How::Elsewhere, "needs a release"),
    ("sh install.sh", How::Elsewhere, "packaging/check.sh runs it"),
    ("sudo *", How::Elsewhere, "changes the machine"),
    ("brew *", How::Elsewhere, "another package manager"),
    ("podman *", How::Elsewhere, "needs a container engine"),
    ("sha256sum *", How::Elsewhere, "packaging/check.sh compares the sums"),
    ("cd ~/.local", How::Elsewhere, "packaging/check.sh installs there"),
    ("rm *", How::Elsewhere, "packaging/check.sh installs what these remove"),
    ("cargo uninstall kenning", How::Elsewhere, "removes what the tester has installed"),
    ("KEN_HOME=... KEN_BENCH=... cargo bench *", How::Elsewhere, "takes minutes"),
    ("KEN_HOME=... python *", How::Elsewhere, "needs packages of Python, or sets that are not in the repository"),
    ("python3 benches/*", How::Elsewhere, "needs packages of Python, or sets that are not in the repository"),
    ("python benches/*", How::Elsewhere, "needs packages of Python, or sets that are not in the repository"),
    ("SET=DIR uvicorn *", How::Elsewhere, "needs packages of Python"),
    ("benches/peers/*", How::Elsewhere, "gets what it compares with"),
    ("cd benches/peers/tantivy *", How::Elsewhere, "builds another program"),
    ("cd benches/peers/hnsw_rs", How::Elsewhere, "builds another program, as do the next two"),
    ("cargo run --release -- SETS/*", How::Elsewhere, "the program of benches/peers/hnsw_rs"),
    ("cargo run --release -- --base *", How::Elsewhere, "the program of benches/peers/hnsw_rs"),
    (
        "ken store *",
        How::Instead("ken store copy --to copied && ken store compare --to copied"),
        "needs a server of PostgreSQL",
    ),
    ("cargo build --release && ken model pull", How::Instead("ken model pull"), "the program is built"),
    (
        "benches/pack/crate_docs.py DOCS && ken bench pack DOCS --file-by file",
        How::Instead("ken bench pack sets/docs --file-by file"),
        "the script makes a set out of crates on the machine",
    ),
    ("cargo run --release -- canon check canon", How::Instead(ONE_PACK), "takes half a minute"),
    ("ken canon check canon", How::Instead(ONE_PACK), "takes half a minute"),
    ("ken canon check", How::Instead(ONE_PACK), "takes a quarter of a minute"),
    ("ken trust", How::Instead("cd house && ken trust"), "a folder with something to trust"),
    ("ken trust --revoke", How::Instead("cd house && ken trust && ken trust --revoke"), "the same"),
    ("ken memory refresh", How::Instead("cd house && ken trust && ken memory refresh"), "the same"),
    ("ken init --client cursor --client codex", How::Instead(IN_A_REPOSITORY), "writes files into a repository"),
    ("ken init --without hook --without modes", How::Instead(IN_A_REPOSITORY), "writes files of the agents found"),
    ("ken init --client claude-code", How::Instead(IN_A_REPOSITORY), "writes files into a repository"),
    ("ken init --user", How::Instead(IN_A_HOME), "writes files of the agents found"),
    ("ken dispute 3f9c21ab04de *", How::Read, "an id that only its user has"),
    ("ken memory history *", How::Read, "an id that only its user has"),
    ("ken memory confirm *", How::Read, "an id that only its user has"),
    ("ken memory approve *", How::Read, "an id that only its user has"),
    ("ken memory reject *", How::Read, "an id that only its user has"),
    ("ken memory edit *", How::Read, "an id that only its user has"),
    ("ken memory review", How::Read, "decides by keys of a person; tests/memory/review.rs presses them"),
    ("ken memory contradict *", How::Read, "an id that only its user has"),
    ("ken memory export", How::Read, "an error that it prints as a memory has it reads like a complaint"),
    ("ken memory import memories.md", How::Read, "a file that only its user has"),
    ("ken memory promote *", How::Read, "an id that only its user has"),
    ("ken patterns list *", How::Read, "rests on runs that only its user has"),
    ("ken patterns propose-canon *", How::Read, "rests on runs that only its user has"),
    ("ken patterns show *", How::Read, "an id that only its user has"),
    ("ken patterns promote *", How::Read, "an id that only its user has"),
    ("ken patterns reject *", How::Read, "an id that only its user has"),
    ("ken bench outcomes *", How::Read, "needs sets that are not in the repository"),
    ("ken bench tools *", How::Read, "needs sets that are not in the repository"),
    ("ken tools *", How::Read, "rests on tools and runs that only its user has"),
    ("ken gateway *", How::Read, "serves a client until it goes, with servers that only its user has"),
    ("ken bench problems *", How::Read, "needs sets that are not in the repository"),
    ("ken check *", How::Exits(8), "the plan has findings"),
    ("terraform *", How::Exits(8), "the plan has findings"),
    ("ken serve", How::Read, "never ends"),
    ("ken serve --open", How::Read, "never ends"),
    ("ken serve --listen *", How::Read, "never ends"),
    ("ken serve --check --unix *", How::Read, "none is running"),
    ("ken serve --unix *", How::Read, "never ends"),
    ("ken serve --check", How::Exits(10), "none is running"),
    ("ken index --watch .", How::Read, "never ends"),
    ("ken bench builtin *", How::Read, "takes minutes"),
    ("ken bench calibrate", How::Read, "takes minutes"),
    ("ken bench calibrate --save", How::Read, "takes minutes"),
    ("ken bench calibrate --model NAME --save", How::Read, "takes minutes"),
    ("ken --model NAME bench calibrate --max-noise 0.03", How::Read, "takes minutes"),
    ("ken bench calibrate sets/* --max-noise 0.05", How::Instead(ONE_SET), "one set is enough"),
    ("ken bench calibrate sets/* --max-noise 0.05 --save", How::Instead(ONE_SET), "one set is enough"),
    ("ken bench calibrate sets/* --save", How::Instead(ONE_SET), "one set is enough"),
    ("ken search --rerank", How::Read, "needs another model"),
    ("ken bench ann --n 100000", How::Instead("ken bench ann --n 100"), "takes minutes"),
    (
        "ken bench ann --n 1000000 --filter 0.1 --filter 0.01",
        How::Instead("ken bench ann --n 100 --filter 0.1 --filter 0.01"),
        "takes minutes",
    ),
    (
        "ken bench compare before/rustc.bm25.json after/rustc.bm25.json --metric map",
        How::Instead("ken bench compare results/rustc.bm25.json results/rustc.hybrid.json --metric map"),
        "another day's result",
    ),
    (
        "ken pack diff before.md after.md",
        How::Instead(
            "ken pack --task keys --as-of 2026-11-22T12:00:00Z > before.md; cp before.md after.md; \
             ken pack diff before.md after.md",
        ),
        "the frames have to be made",
    ),
    ("ken bench run --help", How::Read, "its help is read by another test"),
    ("ken bench compare --help", How::Read, "its help is read by another test"),
    ("ken canon check team.json --strict", How::Instead(ONE_PACK), "a pack of somebody's own"),
    ("ken lookup --worked", How::Instead(WORKED), "there has to be an answer"),
    ("ken lookup --wrong", How::Instead(WORKED), "there has to be an answer"),
    ("ken model use all-MiniLM-L6-v2", How::Read, "embeds all packs"),
    ("ken model import ~/models/mine --name mine", How::Read, "a directory of somebody's own"),
    ("ken model rm all-MiniLM-L6-v2", How::Read, "removes a model that all tests share"),
    ("ken bench embed --model all-MiniLM-L6-v2", How::Read, "embeds all packs"),
    ("ken model use bge-small-en-v1.5", How::Exits(4), "another model is installed here"),
    ("ken model pull all-MiniLM-L6-v2", How::Read, "gets a model and embeds all packs"),
    ("ken model pull ms-marco-MiniLM-L-12-v2-int8", How::Read, "gets a model"),
    ("ken purge", How::Alone("ken lookup x; ken purge --yes"), "asks a terminal"),
    ("ken purge --yes", How::Alone("ken purge --yes"), "takes everything away from those behind it"),
    ("ken run -- cargo build", How::Exits(101), "the command's own"),
    ("ken run --learn -- make test", How::Exits(2), "the command's own"),
    ("ken remember \"Install jq\" --overcame", How::Instead(OVERCAME), "of a failure that is gone"),
    ("ken run -- make test", How::Exits(2), "the command's own"),
    ("ken run -- sh -c 'make && make install'", How::Exits(2), "the command's own"),
    ("ken copies 1", How::Text, "the first line of a file"),
];

/// What stands in for a word in capitals, or for an example that only another machine has.
const SAMPLES: &[(&str, &str)] = &[
    ("A", "before.md"),
    ("B", "after.md"),
    ("BASE", "base"),
    ("CLIENT", "cursor"),
    ("CMD", "true"),
    ("CORPUS", "notes"),
    ("DIR", "logs"),
    ("FILE", "build.log"),
    ("ID", "git-ssh/unrelated-histories"),
    ("KEPT", "kept"),
    ("KEY", "lookup.limit"),
    ("MODEL", MODEL),
    ("N", "1"),
    ("NAME", MODEL),
    ("NUMBER", "1"),
    ("OUT", "sets/out"),
    ("PATH", "notes"),
    ("PHRASE", "'ken: status'"),
    ("QUERIES", "queries"),
    ("QUESTION", "'retry budget'"),
    ("QUESTIONS", "queries.f32"),
    ("ROOT", "notes"),
    ("SECONDS", "20"),
    ("SET", "rustc"),
    ("SHELL", "bash"),
    ("TEXT", "'retry budget'"),
    ("TEXTS", "texts"),
    ("VALUE", "3"),
    ("VERB", "lookup"),
    ("WORDS", "bucket"),
];

/// A placeholder: in brackets if it may be left out, with three points if it may be given again.
static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?P<before>^|[ /])\[?(?P<word>[A-Z]+)(?:\.\.\.)?\]?(?P<after>$|[ .;])"#).unwrap());

/// What is known of a command as it is shown.
pub fn how(command: &str) -> Option<How> {
    known(command).map(|at| KNOWN[at].1)
}

/// The place in the table of what is known of a command.
fn known(command: &str) -> Option<usize> {
    KNOWN.iter().position(|(shown, _, _)| *shown == command).or_else(|| {
        KNOWN.iter().position(|(shown, _, _)| {
            shown.strip_suffix('*').is_some_and(|start| format!("{command} ").starts_with(start))
        })
    })
}

/// What is known and not among the commands that are shown.
pub fn unused(commands: &[String]) -> Vec<&'static str> {
    let used: Vec<usize> = commands.iter().filter_map(|command| known(command)).collect();
    (0..KNOWN.len()).filter(|at| !used.contains(at)).map(|at| KNOWN[at].0).collect()
}

/// Whether a command names something that the reader puts in.
pub fn has_placeholder(command: &str) -> bool {
    command.contains("...") || PLACEHOLDER.captures_iter(command).any(|found| sample(&found["word"]).is_some())
}

/// A command with samples in place of placeholders, and `ken` in place of a run by cargo.
pub fn filled(command: &str) -> String {
    let by_cargo = ["cargo run --release -- ", "cargo run --release --quiet -- "];
    let ken = by_cargo.iter().find_map(|start| command.strip_prefix(start)).map(|rest| format!("ken {rest}"));
    let mut text = ken.unwrap_or_else(|| command.to_owned());
    for (shown, here) in
        [("bench VERB", "bench run"), ("chunk/1f3a9c0b22d4aa10", "$CHUNK"), ("/var/log/", "log/"), (" ...", "")]
    {
        text = text.replace(shown, here);
    }
    // Neighbours share a space, so once more for every second one.
    for _ in 0..2 {
        let put = |found: &Captures<'_>| {
            let sample = sample(&found["word"]);
            sample.map_or(found[0].to_owned(), |sample| format!("{}{sample}{}", &found["before"], &found["after"]))
        };
        text = PLACEHOLDER.replace_all(&text, put).into_owned();
    }
    text
}

fn sample(word: &str) -> Option<&'static str> {
    SAMPLES.iter().find(|(name, _)| *name == word).map(|(_, sample)| *sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_words_are_left() {
        for (shown, expected) in [
            ("ken pack diff A B", "ken pack diff before.md after.md"),
            ("ken canon check [FILE...]", "ken canon check build.log"),
            ("ken bench run sets/SET --out x", "ken bench run sets/rustc --out x"),
            ("ken canon ...", "ken canon"),
            ("ken pack --task - --instructions AGENTS.md", "ken pack --task - --instructions AGENTS.md"),
            ("cargo run --release -- lookup 'ID'", "ken lookup 'ID'"),
        ] {
            assert_eq!(filled(shown), expected);
            assert_eq!(has_placeholder(shown), filled(shown) != shown && !shown.starts_with("cargo"), "{shown}");
        }
    }

    #[test]
    fn what_is_known_is_found_whole_or_by_its_beginning() {
        assert!(matches!(how("cargo build --release"), Some(How::Elsewhere)));
        assert!(matches!(how("cargo build --release && ken model pull"), Some(How::Instead(_))));
        assert!(how("ken purge --dry-run").is_none() && how("cargo builder").is_none());
    }
}
