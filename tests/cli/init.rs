//! `ken init` and `ken hook install`: which files they change, and that nothing else is.

use crate::support::ken::{Ran, User, run, write};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Somebody with a home and a repository.
struct Person {
    user: User,
}

impl Person {
    fn new() -> Self {
        let person = Self { user: User::new() };
        std::fs::create_dir_all(person.root().join(".git")).unwrap();
        std::fs::create_dir_all(person.home()).unwrap();
        person
    }

    fn root(&self) -> PathBuf {
        self.user.work().join("repository")
    }

    fn home(&self) -> PathBuf {
        self.user.work().join("person")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.user.command(arguments);
        command.current_dir(self.root()).env("HOME", self.home());
        command
    }

    fn ken(&self, arguments: &[&str]) -> Ran {
        run(self.command(arguments), b"")
    }

    fn put(&self, name: &str, text: &str) {
        write(&self.root().join(name), text);
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.root().join(name)).unwrap()
    }
}

/// Every file and folder below a folder, with what files hold.
fn all(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let (mut out, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for path in std::fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.is_symlink() {
                open.push(path.clone());
                out.insert(path, None);
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                out.insert(path, Some(bytes));
            }
        }
    }
    out
}

/// The state of each file in a report, by the end of its path.
fn states(ran: &Ran) -> Vec<(String, String)> {
    let told = ran.json();
    let state = |file: &Value| {
        let path = file["path"].as_str().unwrap();
        let path = path.split_once("/repository/").map_or(path, |(_, rest)| rest);
        (path.to_owned(), file["state"].as_str().unwrap().to_owned())
    };
    told["files"].as_array().unwrap().iter().map(state).collect()
}

/// Files of people, as they keep them.
fn lived_in(person: &Person) {
    person.put(".mcp.json", "{\"mcpServers\": {\"db\": {\"command\": \"db\"}}}");
    person.put(".claude/settings.json", "{\n  // mine\n  \"hooks\": {\"PostToolUse\": []},\n  \"model\": \"x\",\n}\n");
    person.put("CLAUDE.md", "# Rules\r\n\r\n- Be kind.\r\n");
    person.put(".cursor/mcp.json", "{}\n");
    person.put(".codex/config.toml", "model = \"o\" # mine\n\n[mcp_servers.db]\ncommand = \"db\"");
    person.put(".gemini/settings.json", "{\n\t\"mcpServers\": {},\n\t\"hooks\": {}\n}");
    person.put(".vscode/mcp.json", "{\n    // two\n    \"servers\": {\n    }\n}\n");
    person.put(".github/hooks/other.json", "{}");
    person.put("opencode.jsonc", "{ \"mcp\": { \"a\": {}, }, }");
    person.put(".zed/settings.json", "// Zed\n{\n  \"tab_size\": 2\n}\n");
    person.put("AGENTS.md", "# Agents\n\nBe kind.");
}

#[test]
fn files_of_people_keep_what_stands_in_them_and_come_back() {
    let person = Person::new();
    lived_in(&person);
    let before = all(&person.root());
    let shown = person.ken(&["init", "--dry-run"]);
    assert_eq!((shown.code, all(&person.root()) == before), (0, true), "{shown:?}");
    assert!(shown.out.contains("  + [mcp_servers.ken]\n") && shown.err.contains("Nothing was written"), "{shown:?}");

    let ran = person.ken(&["init", "--json"]);
    assert_eq!((ran.code, ran.err.contains("Zed has no hooks")), (0, true), "{ran:?}");
    let clients = ["claude-code", "codex", "cursor", "gemini", "opencode", "vscode", "zed"];
    assert_eq!(ran.json()["clients"], json!(clients));
    assert!(states(&ran).iter().all(|(_, state)| state == "made" || state == "changed"), "{ran:?}");
    for (name, wanted) in [
        (".mcp.json", "{\"mcpServers\": {\"db\": {\"command\": \"db\"}, \"ken\":"),
        (".claude/settings.json", "// mine"),
        ("CLAUDE.md", "- Be kind.\r\n\r\n<!-- kenning:begin "),
        (".codex/config.toml", "command = \"db\"\n\n[mcp_servers.ken]"),
        ("opencode.jsonc", "\"a\": {}, \"ken\": {\"type\": \"local\""),
        (".zed/settings.json", "// Zed\n{\n  \"tab_size\": 2,\n  \"context_servers\": {\n    \"ken\": {"),
        ("AGENTS.md", "# Agents\n\nBe kind.\n\n<!-- kenning:begin "),
        (".cursor/hooks.json", "\"postToolUseFailure\""),
        (".github/hooks/kenning.json", "\"powershell\": \"ken hook post-tool\""),
        (".opencode/plugins/kenning.js", "tool.execute.after"),
        (".claude/agents/ken-analyst.md", "Read `.ken/agents/analyst.md` first"),
        (".claude/commands/ken-quality-gate.md", ".ken/workflows/quality-gate.md"),
        (".codex/agents/ken-designer.toml", "developer_instructions = "),
        (".ken/agents/orchestrator.md", "# Orchestrator"),
        (".ken/workflows/extract-learnings.md", "ken learn"),
    ] {
        assert!(person.read(name).contains(wanted), "{name}: {}", person.read(name));
    }
    assert!(!person.root().join("opencode.json").exists());

    let there = all(&person.root());
    let again = person.ken(&["init", "--json"]);
    assert!(again.code == 0 && states(&again).iter().all(|(_, state)| state == "same"), "{again:?}");
    assert!(all(&person.root()) == there);

    let removed = person.ken(&["init", "--remove"]);
    assert_eq!(removed.code, 0, "{removed:?}");
    let after = all(&person.root());
    let differ: Vec<_> =
        after.keys().chain(before.keys()).filter(|path| after.get(*path) != before.get(*path)).collect();
    assert!(differ.is_empty(), "{differ:?}");
    assert_eq!(person.ken(&["init", "--remove"]).out, "Nothing of ken is there.\n");
}

#[test]
fn a_new_repository_gets_what_is_named_and_nothing_is_left_behind() {
    let person = Person::new();
    let before = all(&person.root());
    let none = person.ken(&["init"]);
    assert_eq!((none.code, none.err.contains("ken init --client claude-code")), (2, true), "{none:?}");
    // Signs in the home are taken where the repository has none.
    std::fs::create_dir_all(person.home().join(".cursor")).unwrap();
    let found = person.ken(&["init", "--dry-run", "--json"]);
    assert_eq!(found.json()["clients"], json!(["cursor"]), "{found:?}");
    let ran = person.ken(&["init", "--client", "claude-code", "--client", "cursor", "--without", "hook"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!person.root().join(".claude/settings.json").exists());
    // What agents share stays as long as one of them needs it.
    let ran = person.ken(&["init", "--client", "cursor", "--remove"]);
    assert!(ran.code == 0 && ran.out.contains("Claude Code still needs it"), "{ran:?}");
    assert!(person.root().join(".ken/agents/analyst.md").exists() && !person.root().join(".cursor").exists());
    assert!(!person.root().join("AGENTS.md").exists());
    assert_eq!(person.ken(&["init", "--client", "claude-code", "--remove"]).code, 0);
    assert!(all(&person.root()) == before);
}

#[test]
fn what_is_somebodys_own_is_left_and_the_rest_is_done() {
    let person = Person::new();
    person.put(".cursor/mcp.json", "{\"mcpServers\": {\"ken\": {\"command\": \"barbie\"}}}");
    person.put(".cursor/hooks.json", "{ no json");
    person.put(".cursor/agents/ken-analyst.md", "Mine.\n");
    person.put("AGENTS.md", "<!-- kenning:begin 0 -->\n");
    let before = all(&person.root());
    let ran = person.ken(&["init", "--client", "cursor", "--force"]);
    assert_eq!(ran.code, 8, "{ran:?}");
    for wanted in ["an entry named ken", "it is no JSON", "it is a file of somebody's own", "the marks that begin"] {
        assert!(ran.out.contains(wanted), "{wanted}: {ran:?}");
    }
    let after = all(&person.root());
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
    assert!(person.read(".cursor/agents/ken-architect.md").contains("architect"));
    let removed = person.ken(&["init", "--remove"]);
    assert_eq!(removed.code, 8, "{removed:?}");
    assert!(all(&person.root()) == before);
}

#[test]
fn an_edit_by_a_person_is_noticed() {
    let person = Person::new();
    assert_eq!(person.ken(&["init", "--client", "codex"]).code, 0);
    for name in ["AGENTS.md", ".ken/agents/analyst.md"] {
        let text = person.read(name);
        person.put(name, &text.replace("`ken pack", "`ken  pack"));
    }
    let edited = all(&person.root());
    for arguments in [&["init", "--client", "codex"][..], &["init", "--remove", "--client", "codex", "--dry-run"]] {
        let ran = person.ken(arguments);
        assert!(ran.code == 8 && ran.out.contains("has been edited since; look at it; --force"), "{ran:?}");
        assert!(all(&person.root()) == edited);
    }
    assert_eq!(person.ken(&["init", "--client", "codex", "--force"]).code, 0);
    assert!(person.read("AGENTS.md").contains("`ken pack"));
}

#[test]
fn a_hook_is_printed_written_and_removed() {
    let person = Person::new();
    let printed = person.ken(&["hook", "install", "claude-code", "--print"]);
    assert_eq!(printed.json()["hooks"]["PostToolUse"][0]["hooks"][0]["command"], "ken hook post-tool");
    assert!(all(&person.root()).len() == 1);
    let ran = person.ken(&["hook", "install", "claude-code"]);
    assert_eq!((ran.code, person.read(".claude/settings.json") == printed.out), (0, true), "{ran:?}");
    assert_eq!(person.ken(&["hook", "install", "claude-code", "--json"]).json()["files"][0]["state"], "same");
    assert_eq!(person.ken(&["hook", "install", "claude-code", "--remove"]).code, 0);
    assert!(all(&person.root()).len() == 1);
    // In the home.
    assert_eq!(person.ken(&["hook", "install", "gemini", "--user"]).code, 0);
    assert!(person.home().join(".gemini/settings.json").exists());
    assert_eq!(person.ken(&["hook", "install", "gemini", "--user", "--remove"]).code, 0);
    assert!(all(&person.home()).is_empty());
    let none = person.ken(&["hook", "install", "zed"]);
    assert!(none.code == 2 && none.err.contains("Zed has no hooks") && none.err.contains("codex"), "{none:?}");
}

#[test]
fn a_home_is_set_up_and_comes_back() {
    let person = Person::new();
    write(&person.home().join(".config/zed/settings.json"), "{}\n");
    write(&person.home().join(".codex/config.toml"), "model = \"o\"\n");
    write(&person.home().join(".claude.json"), "{\"n\": 1}\n");
    write(&person.home().join(".copilot/config.json"), "{}");
    let (before, own) = (all(&person.home()), all(&person.user.work()).len());
    let ran = person.ken(&["init", "--user", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["clients"], json!(["claude-code", "codex", "vscode", "zed"]));
    assert!(ran.err.contains("claude mcp add --scope user ken"), "{ran:?}");
    let spec = person.user.home().join("agents/analyst.md");
    let wrapper = std::fs::read_to_string(person.home().join(".claude/agents/ken-analyst.md")).unwrap();
    assert!(spec.exists() && wrapper.contains(spec.to_str().unwrap()), "{wrapper}");
    assert_eq!(person.ken(&["init", "--user", "--remove"]).code, 0);
    assert!(all(&person.home()) == before && !spec.exists());
    assert_eq!(all(&person.user.work()).len(), own);
    // Without a home there is nothing to set up.
    let mut command = person.command(&["init", "--user", "--client", "cursor"]);
    command.env_remove("HOME");
    let ran = run(command, b"");
    assert_eq!((ran.code, ran.err.contains("set HOME")), (2, true), "{ran:?}");
}

#[test]
fn outside_of_a_repository_nothing_is_written() {
    let person = Person::new();
    let mut command = person.command(&["init", "--client", "cursor"]);
    command.current_dir(person.home());
    let ran = run(command, b"");
    assert_eq!((ran.code, ran.err.contains("--user"), all(&person.home()).len()), (2, true, 0), "{ran:?}");
}

#[test]
fn specs_have_no_say_and_end_no_trust() {
    let person = Person::new();
    let silent = |arguments: &[&str]| {
        let ran = person.ken(arguments);
        assert!(!ran.err.contains(".ken"), "{arguments:?}: {ran:?}");
        ran
    };
    assert_eq!(person.ken(&["init", "--client", "codex"]).code, 0);
    // A folder with specs alone asks for no trust, and is read as nothing.
    let listed = silent(&["memory", "list"]);
    assert_eq!(listed.code, 1, "{listed:?}");
    silent(&["config", "show", "--origin"]);
    assert_eq!(person.ken(&["init", "--remove"]).code, 0);
    // One that is trusted stays so.
    person.put(".ken/config.toml", "[lookup]\nlimit = 2\n");
    assert_eq!(person.ken(&["trust"]).code, 0);
    for arguments in [&["init", "--client", "codex"][..], &["init", "--remove"]] {
        assert_eq!(person.ken(arguments).code, 0);
        assert!(silent(&["trust", "--check"]).out.contains("is trusted"));
        assert_eq!(silent(&["config", "get", "lookup.limit"]).out, "2\n");
    }
    assert_eq!(person.read(".ken/config.toml"), "[lookup]\nlimit = 2\n");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let person = Person::new();
    let outside = person.user.work().join("outside");
    write(&outside.join("settings.json"), "{}");
    symlink(&outside, person.root().join(".cursor")).unwrap();
    symlink(outside.join("settings.json"), person.root().join(".mcp.json")).unwrap();
    symlink("no such file", person.root().join("CLAUDE.md")).unwrap();
    symlink("docs.md", person.root().join("AGENTS.md")).unwrap();
    person.put("docs.md", "# Docs\n");
    let before = all(&outside);
    let ran = person.ken(&["init", "--client", "cursor", "--client", "claude-code", "--json"]);
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(all(&outside) == before);
    let left: Vec<_> = states(&ran).into_iter().filter(|(_, state)| state == "left").map(|(path, _)| path).collect();
    assert!(left.contains(&".mcp.json".to_owned()) && left.contains(&"CLAUDE.md".to_owned()), "{left:?}");
    assert!(left.contains(&".cursor/mcp.json".to_owned()), "{left:?}");
    // A link within the folder stays one.
    assert!(person.root().join("AGENTS.md").is_symlink() && person.read("docs.md").contains("kenning:begin"));
    assert_eq!(person.ken(&["init", "--remove"]).code, 0);
    assert_eq!(person.read("docs.md"), "# Docs\n");
}

#[cfg(unix)]
#[test]
fn two_names_of_one_file_are_one_file() {
    let person = Person::new();
    person.put("AGENTS.md", "# Docs\n");
    std::os::unix::fs::symlink("AGENTS.md", person.root().join("CLAUDE.md")).unwrap();
    assert_eq!(person.ken(&["init", "--client", "codex", "--client", "claude-code"]).code, 0);
    assert_eq!(person.read("AGENTS.md").matches("kenning:begin").count(), 1);
    assert_eq!(person.ken(&["init", "--remove"]).code, 0);
    assert_eq!(person.read("AGENTS.md"), "# Docs\n");
}

#[cfg(unix)]
#[test]
fn files_keep_their_permissions_and_those_that_are_protected_stay() {
    use std::os::unix::fs::PermissionsExt;
    let person = Person::new();
    let mode = |name: &str| std::fs::metadata(person.root().join(name)).unwrap().permissions().mode() & 0o777;
    let set = |name: &str, mode: u32| {
        std::fs::set_permissions(person.root().join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    person.put("AGENTS.md", "# Docs\n");
    person.put(".codex/config.toml", "a = 1\n");
    set("AGENTS.md", 0o664);
    set(".codex/config.toml", 0o444);
    let ran = person.ken(&["init", "--client", "codex"]);
    assert!(ran.code == 8 && ran.out.contains("it is write-protected"), "{ran:?}");
    assert_eq!((mode("AGENTS.md"), mode(".codex/config.toml")), (0o664, 0o444));
    assert_eq!(mode(".codex/hooks.json"), mode(".codex") & 0o666);
    assert_eq!(person.read(".codex/config.toml"), "a = 1\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_refuses_ends_it_and_names_what_was_done() {
    let user = User::new();
    std::fs::create_dir_all(user.work().join(".git")).unwrap();
    let refused = user.work().join(".cursor/agents");
    let call = ["init", "--client", "cursor"];
    let ran = user.on_bad_disk(&call, "KEN_SHIM_READ_ONLY", refused.to_str().unwrap());
    assert_eq!(ran.code, 9, "{ran:?}");
    assert!(ran.err.contains("ken-analyst.md") && ran.err.contains("changed before it: "), "{ran:?}");
    assert!(ran.err.contains(".cursor/mcp.json") && user.work().join(".cursor/mcp.json").exists(), "{ran:?}");
    assert_eq!(user.ken(&call).code, 0);
    // A file that stands where a folder is needed is somebody's own.
    let user = User::new();
    std::fs::create_dir_all(user.work().join(".git")).unwrap();
    user.document(".cursor/agents", "I am a file.\n");
    let ran = user.ken(&call);
    assert_eq!((ran.code, ran.out.matches("left alone").count()), (8, 5), "{ran:?}");
}

/// The commands in the texts that agents read: their verbs and options exist.
#[test]
fn commands_in_specs_exist() {
    let person = Person::new();
    assert_eq!(person.ken(&["init", "--client", "codex"]).code, 0);
    let verbs =
        ["pack", "search", "lookup", "remember", "learn", "memory", "check", "status", "index", "run", "dispute"];
    let helps: BTreeMap<&str, String> = verbs
        .iter()
        .map(|verb| {
            let more = if *verb == "memory" { person.ken(&["memory", "list", "--help"]).out } else { String::new() };
            (*verb, person.ken(&[verb, "--help"]).out + &more)
        })
        .collect();
    let mut seen = 0;
    for (path, bytes) in all(&person.root()) {
        let Some(bytes) = bytes.filter(|_| path.extension().is_some_and(|e| e == "md")) else { continue };
        let text = String::from_utf8(bytes).unwrap();
        for span in text.split('`').skip(1).step_by(2) {
            let Some(at) = span.find("ken ").filter(|at| *at == 0 || span[..*at].ends_with(' ')) else { continue };
            let words: Vec<&str> = span[at..].split_whitespace().collect();
            let help = helps.get(words[1]).unwrap_or_else(|| panic!("{}: {span}", path.display()));
            for option in words.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
                assert!(help.contains(option), "{}: {span}: {option}", path.display());
            }
            if words[1] == "memory" {
                assert!(help.contains(&format!("\n  {} ", words[2])), "{span}");
            }
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}
