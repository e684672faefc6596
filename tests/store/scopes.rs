//! Teams that share a store in PostgreSQL, each with a role of its own: the database withholds rows of other scopes.
//!
//! What a role reads is taken table by table as text. It must not change by anything that another team does, and does
//! change for every table whose policy is taken away.

use crate::memory::repository;
use crate::support::ken::{Ran, User, run};
use crate::support::postgres::Server;
use crate::support::service::Service;
use crate::support::tiny::Tiny;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Tables that hold nothing of a scope, as the migration says.
const OPEN: [&str; 5] = ["corpus", "meta", "model", "schema_version", "vector_change"];

/// What no command of this test writes, so that every table has rows of a team. `SCOPE` and `MARK` are the team's.
const ROWS: &str = "
    INSERT INTO outcome_session VALUES ('MARK', 'SCOPE', 1, 1, 0, 1, 1);
    INSERT INTO tool_outcome VALUES ('MARK', 1, 1, 'MARK', '', '', '', 0, 1, '', 'e', 1, 'SCOPE', NULL);
    INSERT INTO error_log (scope, tool, head, error_fingerprint, example, example_session, count, first_at, last_at)
        VALUES ('SCOPE', 'MARK', '', 'e', '', 'MARK', 1, 1, 1);
    INSERT INTO error_session SELECT id, 'MARK', 1, 1, 1 FROM error_log WHERE tool = 'MARK';
    INSERT INTO outcome_batch (claimed_at, session, from_row, to_row, worker, state)
        VALUES (1, 'MARK', 1, 1, '', 'done');
    INSERT INTO outcome_pattern VALUES ('MARK', 'SCOPE', '', '', 1, '{}', 1, NULL);
    INSERT INTO tool VALUES ('SCOPE', 'MARK', '{\"name\": \"MARK\"}', '', '', '', 1);
    INSERT INTO tool_task (scope, session, after_row, at, task, fingerprint, used, state)
        VALUES ('SCOPE', 'MARK', 0, 1, 'MARK', '', '[]', 'open');
    INSERT INTO tool_suggestion SELECT number, 'tool', 'MARK', 0, 1, 1, NULL FROM tool_task WHERE task = 'MARK';
    INSERT INTO tool_threshold VALUES ('SCOPE', 'tool', 0.5, 0, 0, 0, 0, '');
    INSERT INTO capability VALUES ('SCOPE', 'MARK', '[]', 1, 1, 1);
    INSERT INTO capability_use VALUES ('SCOPE', 'MARK', 1, 'MARK', 1, 1);
    INSERT INTO tool_cursor VALUES ('MARK', 'SCOPE', 0, 0);
    INSERT INTO algorithm_trace (scope, session, at, question, data) VALUES ('SCOPE', 'MARK', 1, 'MARK', '{}');
    INSERT INTO job (request, state) VALUES ('MARK', '{}');
    INSERT INTO kept_out SELECT forgotten.id, source.id FROM forgotten, source LIMIT 1;
    INSERT INTO link SELECT id, 'MARK', 'see', 1 FROM memory LIMIT 1;";

/// A team: its role, its scope, and somebody of it in a repository.
struct Team {
    role: &'static str,
    /// A word that only this team writes.
    mark: &'static str,
    user: User,
    folder: PathBuf,
    scope: String,
}

impl Team {
    fn new(server: &Server, model: &Path, role: &'static str, mark: &'static str) -> Self {
        let user = User::at(server.address().replace("postgres@", &format!("{role}@")));
        user.write("config.toml", format!("[model]\nname = {model:?}\n"));
        let folder = repository(&user, role);
        let mut git = std::process::Command::new("git");
        git.args(["rev-list", "--max-parents=0", "HEAD"]).current_dir(&folder);
        let scope = run(git, b"").out.trim().to_owned();
        granted(server, role);
        said(server, &format!("INSERT INTO kenning.reader VALUES ('{role}', '{scope}')"), "INSERT 0 1");
        Self { role, mark, user, folder, scope }
    }

    fn ken(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.user.command(arguments);
        command.current_dir(&self.folder);
        run(command, input.as_bytes())
    }

    fn ran(&self, arguments: &[&str], input: &str) -> String {
        let ran = self.ken(arguments, input);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        assert!(!ran.err.contains("ken gc"), "nothing of the upkeep fails: {ran:?}");
        ran.out
    }

    /// Writes something of every kind, changes and forgets some of it, and asks for it.
    fn works(&self, server: &Server) {
        let Self { mark, scope, .. } = self;
        let write = |text: &str| std::fs::write(self.folder.join("notes.md"), text).unwrap();
        write(&format!("# Notes\n\nThe {mark} of notes stands by the north pier, where forty lamps are.\n"));
        self.ran(&["index", "."], "");
        self.ran(&["remember", &format!("The {mark} cluster is restarted on Mondays")], "");
        let put = |id: &str, text: &str| {
            let (id, text) = (format!("{mark}-{id}"), format!("{text} {mark}{id}"));
            let item = serde_json::json!({"id": id, "scope": scope, "text": text, "attributes": {"k": mark}});
            self.ran(&["items", "put", "-"], &item.to_string());
        };
        ["kept", "gone"].into_iter().for_each(|id| put(id, "The first text of"));
        write(&format!("# Notes\n\nThe {mark} of notes stands by the south pier now, where {mark}lamps are.\n"));
        self.ran(&["index", "."], "");
        let list: serde_json::Value =
            serde_json::from_str(&self.ran(&["search", "--json", "--min-relevance", "0", "the north pier"], ""))
                .unwrap();
        assert!(list.to_string().contains(mark), "{list}");
        let id = self.uid(server, "chunk/%");
        self.ran(&["forget", &id], "");
        let item = self.psql(
            server,
            &format!(
                "INSERT INTO item (uid, kind, scope, authority, state, title, body, text_hash, words, attributes,
                created_at, updated_at)
                VALUES ('fact/{mark}', 'fact', '{scope}', 'team', 'active', '', '{mark} by hand',
                substr(sha256('{mark}'), 1, 16), 1, '{{}}', 1, 1)"
            ),
        );
        assert!(item.contains("INSERT 0 1"), "{item}");
        self.ran(&["items", "delete", "--scope", scope, &format!("{mark}-gone")], "");
        let rows = self.psql(server, &ROWS.replace("MARK", mark).replace("SCOPE", scope));
        assert!(!rows.contains("ERROR"), "{rows}");
        // What is counted, and what is left of a text that is another now.
        put("kept", "Another text of");
        self.ran(&["search", "--min-relevance", "0", "which cluster is restarted on Mondays"], "");
    }

    fn uid(&self, server: &Server, like: &str) -> String {
        let uids = self.psql(server, &format!("SELECT uid FROM item WHERE uid LIKE '{like}' AND state = 'active'"));
        uids.lines().find(|line| line.contains('/')).unwrap_or_else(|| panic!("{uids}")).to_owned()
    }

    /// What `psql` prints to this role.
    fn psql(&self, server: &Server, sql: &str) -> String {
        server.psql("kenning", &format!("SET SESSION AUTHORIZATION {}; SET search_path = kenning; {sql}", self.role))
    }

    /// All that this role reads, by table.
    fn view(&self, server: &Server) -> BTreeMap<String, String> {
        let tables = server.psql("kenning", "SELECT tablename FROM pg_tables WHERE schemaname = 'kenning'");
        tables.lines().map(|table| (table.to_owned(), self.rows(server, table))).collect()
    }

    /// All that it reads of a table. Entries of packs are for all, and so is how often they were served.
    fn rows(&self, server: &Server, table: &str) -> String {
        rows(server, &format!("SET SESSION AUTHORIZATION {}", self.role), table)
    }
}

/// All that a session reads of a table, after it was set up so.
fn rows(server: &Server, session: &str, table: &str) -> String {
    let only = if table == "usage" { "WHERE scope IS NOT NULL" } else { "" };
    let sql = format!("{session}; SET search_path = kenning; SELECT t::text FROM \"{table}\" AS t {only} ORDER BY 1");
    let rows = server.psql("kenning", &sql);
    assert!(!rows.contains("ERROR"), "{rows}");
    rows.lines().filter(|line| *line != "SET").fold(String::new(), |all, line| all + line + "\n")
}

fn said(server: &Server, sql: &str, wanted: &str) {
    let printed = server.psql("kenning", sql);
    assert!(printed.contains(wanted) && !printed.contains("ERROR"), "{printed}");
}

fn granted(server: &Server, role: &str) {
    let sql = format!(
        "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA kenning TO {role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kenning TO {role}"
    );
    said(server, &sql, "GRANT");
}

/// A server with a store, its owner, and where the model of all users lies.
fn owned() -> (Server, User, PathBuf) {
    let server = Server::start();
    let owner = User::at(server.address());
    let model = owner.home().join("tiny");
    Tiny::quick().write(&model);
    owner.write("config.toml", format!("[model]\nname = {model:?}\n"));
    let put = owner.ken_with(&["items", "put", "-"], br#"{"id": "all", "text": "Of nobody", "scope": "open"}"#);
    assert_eq!(put.code, 0, "{put:?}");
    (server, owner, model)
}

fn refused(ran: &Ran, text: &str) {
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains(text), "{ran:?}");
}

#[test]
fn what_a_team_reads_does_not_change_by_what_another_one_does() {
    let (server, owner, model) = owned();
    let (one, two) =
        (Team::new(&server, &model, "team_a", "zebrawort"), Team::new(&server, &model, "team_b", "quagmirex"));
    one.works(&server);
    let before = one.view(&server);
    two.works(&server);
    let closed = |view: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        let is_closed = |table: &&String| !OPEN.contains(&table.as_str());
        view.iter().filter(|(table, _)| is_closed(table)).map(|(table, rows)| (table.clone(), rows.clone())).collect()
    };
    let after = one.view(&server);
    closed(&after).iter().for_each(|(table, rows)| assert_eq!(rows, &before[table], "{table}"));
    for (own, other) in [(&one, &two), (&two, &one)] {
        for (table, rows) in own.view(&server) {
            assert!(!rows.contains(other.mark) && !rows.contains(&other.scope), "{table}: {rows}");
        }
    }
    // Every table has rows of the other team, which its policy alone withholds.
    let mut seen = Vec::new();
    for table in closed(&before).keys() {
        let protect =
            |how: &str| said(&server, &format!("ALTER TABLE kenning.{table} {how} ROW LEVEL SECURITY"), "ALTER");
        protect("DISABLE");
        let rows = one.rows(&server, table);
        protect("ENABLE");
        if rows != before[table] {
            seen.push(table.clone());
        }
    }
    assert_eq!(seen, closed(&before).into_keys().collect::<Vec<_>>());
    assert_eq!(one.view(&server), after);
    limited_to_a_team(&server, &one, &two);
    answers(&server, &one, &two);
    owner_sees_all(&server, &owner, &one, &two);
}

/// A role that reads all, limited to the scope of a team, reads and writes just what the role of that team does.
fn limited_to_a_team(server: &Server, one: &Team, two: &Team) {
    granted(server, "service");
    said(server, "INSERT INTO kenning.reader VALUES ('service', '*')", "INSERT 0 1");
    let all = "SET SESSION AUTHORIZATION service; SET kenning.scopes = ''";
    let items = rows(server, all, "item");
    assert!([one, two].iter().all(|team| items.contains(team.mark)), "{items}");
    for (own, other) in [(one, two), (two, one)] {
        let limited = format!("SET SESSION AUTHORIZATION service; SET kenning.scopes = '{{{}}}'", own.scope);
        for (table, seen) in own.view(server) {
            // These two are by role.
            if !["job", "reader"].contains(&table.as_str()) {
                assert_eq!(rows(server, &limited, &table), seen, "{table}");
            }
        }
        assert!(!rows(server, &limited, "job").contains(own.mark));
        let write = |sql: &str| server.psql("kenning", &format!("{limited}; SET search_path = kenning; {sql}"));
        let moved = write(&format!("UPDATE item SET scope = '{}'", other.scope));
        assert!(moved.contains("row-level security"), "{moved}");
        let added = write(&ROWS.replace("MARK", "intruder").replace("SCOPE", &other.scope));
        assert_eq!(added.matches("row-level security").count(), added.matches("ERROR").count(), "{added}");
        assert!(added.contains("row-level security") && !added.contains("INSERT 0 1"), "{added}");
    }
}

/// No command of one team shows what the other one has.
fn answers(server: &Server, one: &Team, two: &Team) {
    for (own, other) in [(one, two), (two, one)] {
        let asked = format!("{} cluster lamps pier forgotten", other.mark);
        for arguments in [
            &["search", "--min-relevance", "0", &asked][..],
            &["search", "--json", "--min-relevance", "0", &asked],
            &["search", "--min-relevance", "0", "--scope", &other.scope, &asked],
            &["pack", "--task", &asked],
            &["lookup", &format!("error: {}", other.mark)],
            &["status", "--json"],
            &["memory", "list"],
            &["memory", "list", "--json"],
            &["items", "list"],
            &["items", "list", "--json", "--scope", &other.scope],
            &["outcomes"],
            &["tools", "list"],
            &["forget", "--list"],
        ] {
            let ran = own.ken(arguments, "");
            // A scope that holds nothing as far as they see is none.
            let is_none = ran.err.contains("nothing is indexed in the scope");
            assert!([0, 1].contains(&ran.code) || is_none, "{arguments:?}: {ran:?}");
            let answer = ran.out.replace(&asked, "").replace(&format!("error: {}", other.mark), "");
            assert!(!answer.contains(other.mark), "{arguments:?}: {ran:?}");
        }
        assert!(own.ran(&["search", "--min-relevance", "0", "which cluster on Mondays"], "").contains(own.mark));
        let status: serde_json::Value = serde_json::from_str(&own.ran(&["status", "--json"], "")).unwrap();
        assert_eq!(status["store"]["without_words"], 0, "{status}");
        own.ran(&["gc"], "");
        // Nor is anything changed there.
        let item = format!(r#"{{"id": "x", "scope": "{}", "text": "of others"}}"#, other.scope);
        refused(&own.ken(&["items", "put", "-"], &item), "does not let this user write");
        let address = server.address().replace("postgres@", &format!("{}@", own.role));
        for arguments in [
            &["doctor"][..],
            &["doctor", "--repair"],
            &["export"],
            &["store", "copy", "--from", &address, "--to", "copied"],
            &["store", "compare", "--from", &server.address(), "--to", &address],
        ] {
            refused(&own.ken(arguments, ""), "sees only some of them");
        }
        let copy = own.ken(&["store", "copy", "--from", &server.address(), "--to", &address], "");
        refused(&copy, "only the owner of the tables");
        let moved = own.psql(server, &format!("UPDATE item SET scope = '{}'", other.scope));
        assert!(moved.contains("row-level security"), "{moved}");
        let given = own.psql(server, &format!("INSERT INTO reader VALUES ('{}', '*')", own.role));
        assert!(given.contains("row-level security"), "{given}");
    }
}

/// The owner finds what both have, and nothing is wrong with it.
fn owner_sees_all(server: &Server, owner: &User, one: &Team, two: &Team) {
    let exported = owner.ken(&["export"]);
    assert_eq!(exported.code, 0, "{exported:?}");
    assert!([one.mark, two.mark].iter().all(|mark| exported.out.contains(mark)), "{exported:?}");
    let found = owner.ken(&["search", "--min-relevance", "0", "zebrawortkept quagmirexkept"]);
    assert!([one.mark, two.mark].iter().all(|mark| found.out.contains(mark)), "{found:?}");
    said(server, "SELECT 'sum ' || sum(items - documents) FROM kenning.word_total", "sum ");
}

#[test]
fn who_reads_no_scope_is_told_so_and_who_reads_all_needs_no_owner() {
    let (server, owner, _model) = owned();
    granted(&server, "newcomer");
    let newcomer = User::at(server.address().replace("postgres@", "newcomer@"));
    for arguments in [&["status"][..], &["search", "nobody"], &["items", "list"], &["doctor"], &["export"]] {
        let ran = newcomer.ken(arguments);
        refused(&ran, "gives the user newcomer no scope");
        assert!(ran.err.contains("INSERT INTO kenning.reader VALUES ('newcomer', 'SCOPE')"), "{ran:?}");
    }
    // A role of a group has what the group has.
    said(&server, "CREATE ROLE everything; GRANT everything TO newcomer", "GRANT");
    said(&server, "INSERT INTO kenning.reader VALUES ('everything', '*'), ('who is gone', 'open')", "INSERT 0 2");
    let found = newcomer.ken(&["search", "--min-relevance", "0", "of nobody"]);
    assert!(found.code == 0 && found.out.contains("Of nobody"), "{found:?}");
    let exported = newcomer.ken(&["export"]);
    // The first line says when.
    let records = |ran: &Ran| ran.out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((exported.code, records(&exported)), (0, records(&owner.ken(&["export"]))));
    let put = newcomer.ken_with(&["items", "put", "-"], br#"{"id": "more", "text": "More of it", "scope": "new"}"#);
    assert_eq!(put.code, 0, "{put:?}");
    assert!(owner.ken(&["search", "--min-relevance", "0", "more of it"]).out.contains("More of it"));
    // But a copy is made to it by the owner alone.
    let to = server.address().replace("postgres@", "newcomer@");
    refused(&owner.ken(&["store", "copy", "--from", &server.address(), "--to", &to]), "only the owner of the tables");
}

/// One service with a role that reads all, and a token for each of two teams. The score of an answer depends on how
/// often words occur in all texts that the database shows, so it tells whether the database withholds those of others.
#[test]
fn a_service_is_limited_to_the_scopes_of_each_token() {
    let (server, _owner, model) = owned();
    granted(&server, "service");
    said(&server, "INSERT INTO kenning.reader VALUES ('service', '*')", "INSERT 0 1");
    let user = User::at(server.address().replace("postgres@", "service@"));
    user.write("config.toml", format!("[model]\nname = {model:?}\n"));
    let token = |name: &str, scope: &str| {
        user.ken(&["serve", "token", "add", name, "--right", "write", "--scope", scope]).out.trim().to_owned()
    };
    let (ours, theirs) = (token("ours", "team-a"), token("theirs", "team-b"));
    let service = Service::start(&user, &[]);
    let told = |token: &str, method: &str, path: &str, body: &serde_json::Value| {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let answer = service.ask_as(token, method, path, &text);
        assert!((200..300).contains(&answer.status), "{method} {path} {body}: {answer:?}");
        answer.body
    };
    let put = |token: &str, scope: &str, mark: &str, count: usize| {
        let item = |at: usize| json!({"id": format!("{mark}{at}"), "scope": scope, "text": format!("{mark} lanterns")});
        told(token, "PUT", "/v1/items", &json!({"items": (0..count).map(item).collect::<Vec<_>>()}))
    };
    // What was served before counts too.
    let asked = json!({"query": "lanterns harbour", "min_relevance": 0, "dry_run": true});
    let scores = |token: &str| -> Vec<String> {
        let found: serde_json::Value = serde_json::from_str(&told(token, "POST", "/v1/search", &asked)).unwrap();
        let hits = found["results"][0]["hits"].as_array().unwrap().iter();
        // It also falls with the age of a text, by much less than this.
        hits.map(|hit| format!("{} {:.5}", hit["item"]["scope"], hit["score"].as_f64().unwrap())).collect()
    };
    put(&ours, "team-a", "zebrawort", 3);
    let before = scores(&ours);
    assert!(!before.is_empty() && before.iter().all(|hit| hit.starts_with("\"team-a\"")), "{before:?}");
    // Too few for a gate, which is fitted to all texts.
    put(&theirs, "team-b", "quagmirex", 12);
    assert_eq!(scores(&ours), before, "nothing that others have counts");
    let ended = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE usename = 'service'";
    assert_ne!(server.psql("kenning", ended).trim(), "0");
    assert_eq!(scores(&ours), before, "on new connections too");
    // Everything that writes does so with each token, and what is forgotten leaves nothing.
    let both = [(&ours, "team-a", "zebrawort", "quagmirex"), (&theirs, "team-b", "quagmirex", "zebrawort")];
    for (token, scope, own, other) in both {
        let run = json!({"outcomes": [{"tool": "bash", "input": "make", "error": format!("{own} is missing")}]});
        told(token, "POST", "/v1/outcomes", &run);
        let text = format!("The {own} cluster is restarted on Mondays");
        let answer = told(token, "POST", "/v1/memories", &json!({"text": text}));
        let memory: serde_json::Value = serde_json::from_str(&answer).unwrap();
        for path in ["/v1/items?limit=1000", "/v1/memories", "/v1/outcomes", "/v1/tools", "/v1/status"] {
            let seen = service.ask_as(token, "GET", path, "").body;
            assert!(!seen.contains(other), "{path}: {seen}");
            assert!(seen.contains(own) || ["/v1/tools", "/v1/status"].contains(&path), "{path}: {seen}");
        }
        let id = memory["memory"]["id"].as_str().unwrap_or_else(|| panic!("{memory}"));
        told(token, "DELETE", &format!("/v1/memories/{id}"), &json!(null));
        told(token, "DELETE", &format!("/v1/items/{own}0?scope={scope}"), &json!(null));
    }
    let unused = "SELECT 'left ' || count(*) FROM kenning.vector WHERE text_hash NOT IN
        (SELECT text_hash FROM kenning.embedding)";
    said(&server, unused, "left 0");
    // The token of the service's owner sees both.
    let all = service.ask("GET", "/v1/items?limit=1000", "").body;
    assert!(all.contains("zebrawort1") && all.contains("quagmirex1"), "{all}");
    assert_eq!(service.end(), Some(0));
}

/// `Service::run` limits what a use case opens, so each one that takes a caller goes through it.
#[test]
fn every_use_case_with_a_caller_is_run_within_its_scopes() {
    let mut count = 0;
    for file in ["service.rs", "service/memory.rs", "service/outcome.rs", "service/tools.rs"] {
        let path = format!("{}/src/serve/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        for function in text.split("\n    pub fn ").skip(1) {
            let function = function.split("\n    }\n").next().unwrap();
            let (signature, body) = function.split_once('{').unwrap();
            if signature.contains("Caller<") && !signature.starts_with("owner") {
                count += 1;
                let is_run = ["self.run(caller", "self.decide("].iter().any(|run| body.contains(run));
                assert!(is_run, "{file}: {function}");
            }
        }
    }
    assert!(count > 15, "{count}");
}
