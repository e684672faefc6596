//! Reports of agents as they are documented, and what must not be read out of others.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn run(report: Value) -> Execution {
    read(report.to_string().as_bytes()).unwrap().unwrap_or_else(|| panic!("no run: {report}"))
}

/// A report; its tool, input, whether it went well, exit code and error.
type Case = (Value, &'static str, &'static str, bool, Option<i32>, &'static str);

fn cases() -> Vec<Case> {
    vec![
        // Claude Code: PostToolUse comes of runs that went well, PostToolUseFailure of others.
        (
            json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Bash",
                "tool_input": {"command": "ls -l", "description": "List"},
                "tool_response": {"stdout": "a\n", "stderr": "warning: b", "interrupted": false, "isImage": false}}),
            "Bash",
            "ls -l",
            true,
            None,
            "",
        ),
        (
            json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Bash",
                "tool_input": {"command": "sleep 9"},
                "tool_response": {"stdout": "", "stderr": "", "interrupted": true, "isImage": false}}),
            "Bash",
            "sleep 9",
            false,
            None,
            "interrupted",
        ),
        (
            json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
                "tool_input": {"command": "npm test"}, "error": "Exit code 1\n1 failing\n", "is_interrupt": false}),
            "Bash",
            "npm test",
            false,
            Some(1),
            "1 failing\n",
        ),
        (
            json!({"session_id": "s", "hook_event_name": "PostToolUseFailure", "tool_name": "Edit",
                "tool_input": {"new_string": "b", "file_path": "/a"}, "error": "String to replace not found in file."}),
            "Edit",
            r#"{"file_path":"/a","new_string":"b"}"#,
            false,
            None,
            "String to replace not found in file.",
        ),
        (
            json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "mcp__db__query",
                "tool_input": {"sql": "SELECT 1"}, "tool_response": [{"type": "text", "text": "no such table"}]}),
            "mcp__db__query",
            r#"{"sql":"SELECT 1"}"#,
            true,
            None,
            "",
        ),
        (
            json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "mcp__sqlite__query",
                "tool_input": {"query": "SELECT x"},
                "tool_response": {"isError": true, "content": [{"type": "text", "text": "no such column: x"}]}}),
            "mcp__sqlite__query",
            "SELECT x",
            false,
            None,
            "no such column: x",
        ),
        // Cursor: the report of a command names no tool; answers are JSON within JSON.
        (
            json!({"conversation_id": "s", "hook_event_name": "afterShellExecution", "command": "make", "output": "ok",
                "duration": 150, "workspace_roots": ["/w"], "cwd": ""}),
            "shell",
            "make",
            true,
            None,
            "",
        ),
        (
            json!({"conversation_id": "s", "hook_event_name": "afterMCPExecution", "tool_name": "database_query",
                "tool_input": "{\"query\": \"x\"}",
                "result_json": "{\"isError\":true,\"content\":[{\"text\":\"denied\"}]}",
                "duration": 250.4}),
            "database_query",
            r#"{"query":"x"}"#,
            false,
            None,
            "denied",
        ),
        (
            json!({"conversation_id": "s", "hook_event_name": "postToolUse", "tool_name": "Shell",
                "tool_input": {"command": "npm test"}, "tool_output": "{\"exitCode\":1,\"stderr\":\"boom\"}",
                "cwd": "/w"}),
            "Shell",
            "npm test",
            false,
            Some(1),
            "boom",
        ),
        (
            json!({"conversation_id": "s", "hook_event_name": "postToolUseFailure", "tool_name": "Shell",
                "tool_input": {"command": "npm test"}, "error_message": "Command timed out",
                "failure_type": "timeout"}),
            "Shell",
            "npm test",
            false,
            None,
            "Command timed out",
        ),
        // Gemini CLI.
        (
            json!({"session_id": "s", "cwd": "/w", "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
                "tool_input": {"command": "false"}, "tool_response": {"llmContent": "Output: (empty)\nExit Code: 1",
                "returnDisplay": "Output: (empty)\nExit Code: 1"}}),
            "run_shell_command",
            "false",
            false,
            Some(1),
            "Output: (empty)\nExit Code: 1",
        ),
        // More stands below the exit code in some versions.
        (
            json!({"session_id": "s", "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
                "tool_input": {"command": "make x"}, "tool_response": {"llmContent": "Output: no rule\nError: (none)\n\
                    Exit Code: 2\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 12"}}),
            "run_shell_command",
            "make x",
            false,
            Some(2),
            "Output: no rule\nError: (none)\nExit Code: 2\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 12",
        ),
        (
            json!({"session_id": "s", "hook_event_name": "AfterTool", "tool_name": "read_file",
                "tool_input": {"absolute_path": "/a"},
                "tool_response": {"llmContent": "", "error": {"message": "File not found", "type": "file_not_found"}}}),
            "read_file",
            r#"{"absolute_path":"/a"}"#,
            false,
            None,
            "File not found",
        ),
        // Codex: words of a command, answers as text or with metadata.
        (
            json!({"session_id": "s", "turn_id": "t", "cwd": "/w",
                "hook_event_name": "PostToolUse", "tool_name": "Bash",
                "tool_input": {"command": ["bash", "-lc", "cargo test"]},
                "tool_response": "Exit code: 101\nWall time: 2 seconds\nOutput:\nerror: could not compile"}),
            "Bash",
            "cargo test",
            false,
            Some(101),
            "Wall time: 2 seconds\nOutput:\nerror: could not compile",
        ),
        (
            json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "shell",
                "tool_input": {"command": ["git", "status"]},
                "tool_response": "{\"output\":\"fatal: not a git repository\",\
                    \"metadata\":{\"exit_code\":128,\"duration_seconds\":0.25}}"}),
            "shell",
            "git status",
            false,
            Some(128),
            "fatal: not a git repository",
        ),
        // OpenCode: a plugin hands on what it hears.
        (
            json!({"event": "tool.execute.after", "tool": "bash", "sessionID": "s", "callID": "c",
                "args": {"command": "ls nowhere"},
                "output": {"title": "ls", "output": "ls: cannot access 'nowhere'", "metadata": {"exit": 2}}}),
            "bash",
            "ls nowhere",
            false,
            Some(2),
            "ls: cannot access 'nowhere'",
        ),
        (
            json!({"tool": "bash", "sessionID": "s", "args": {"command": "ls"}, "output": "a",
                "metadata": {"exit": 0}}),
            "bash",
            "ls",
            true,
            Some(0),
            "",
        ),
        // Copilot.
        (
            json!({"timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": "{\"command\":\"npm test\"}",
                "toolResult": {"resultType": "failure", "textResultForLlm": "1 failing"}}),
            "bash",
            "npm test",
            false,
            None,
            "1 failing",
        ),
        // The plain schema.
        (
            json!({"session": "s", "tool": "sql", "input": "SELECT a FROM b", "ok": false,
                "error": "no such table: b"}),
            "sql",
            "SELECT a FROM b",
            false,
            None,
            "no such table: b",
        ),
        (
            json!({"tool": "bash", "input": "make", "exit_code": 2, "output": "make: *** [all] Error 2"}),
            "bash",
            "make",
            false,
            Some(2),
            "make: *** [all] Error 2",
        ),
        (json!({"tool": "lint", "input": {"b": 1, "a": [2, null]}}), "lint", r#"{"a":[2,null],"b":1}"#, true, None, ""),
        (
            json!({"tool": "bash", "input": "true", "ok": true, "output": "error: not really"}),
            "bash",
            "true",
            true,
            None,
            "",
        ),
        // What says nothing of a failure is none: empty and false fields, words of the tool's own.
        (json!({"tool": "x", "error": "", "is_error": false}), "x", "", true, None, ""),
        (json!({"tool": "x", "error": null, "interrupted": false}), "x", "", true, None, ""),
        (json!({"tool": "x", "error": {}, "status": "success"}), "x", "", true, None, ""),
        (
            json!({"tool": "bash", "input": "grep -n code a", "output": "a\nb\nc\nd\nexit code: 3\ne\nf\ng"}),
            "bash",
            "grep -n code a",
            true,
            None,
            "",
        ),
        // One field that says so is enough.
        (json!({"tool": "x", "ok": true, "exit_code": 1}), "x", "", false, Some(1), ""),
        (json!({"tool": "x", "status": "error", "exit_code": 0}), "x", "", false, Some(0), ""),
    ]
}

#[test]
fn reports_of_agents_are_read() {
    for (report, tool, input, is_ok, exit_code, error) in cases() {
        let found = run(report.clone());
        let read = (found.tool.as_str(), found.input.as_str(), found.is_ok, found.exit_code, found.error.as_str());
        assert_eq!(read, (tool, input, is_ok, exit_code, error), "{report}");
    }
}

#[test]
fn sessions_folders_and_durations_are_found() {
    let cursor = run(json!({"conversation_id": "c", "hook_event_name": "afterShellExecution", "command": "make",
        "duration": 150, "workspace_roots": ["/w", "/v"], "cwd": ""}));
    assert_eq!((cursor.session.as_str(), cursor.duration_ms, cursor.folder.as_deref()), ("c", Some(150), Some("/w")));
    let codex = run(json!({"session_id": "s", "cwd": "/w", "tool_name": "shell",
        "tool_response": {"metadata": {"duration_seconds": 0.25}}}));
    assert_eq!((codex.session.as_str(), codex.duration_ms, codex.folder.as_deref()), ("s", Some(250), Some("/w")));
    let plain = run(json!({"tool": "x", "duration_ms": -4}));
    assert_eq!((plain.session.as_str(), plain.duration_ms, plain.folder), ("", None, None));
}

#[test]
fn what_tells_of_no_run_is_none() {
    for event in [
        "PreToolUse",
        "SessionStart",
        "Stop",
        "beforeShellExecution",
        "BeforeTool",
        "UserPromptSubmit",
        "tool.execute.before",
        "afterFileEdit",
        "Notification",
        "PostCompact",
    ] {
        let report = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"}});
        assert_eq!(read(report.to_string().as_bytes()), Ok(None), "{event}");
    }
}

#[test]
fn what_is_no_report_is_an_error() {
    assert_eq!(read(b"[]"), Err(PayloadError::NoObject));
    assert_eq!(read(b"{}"), Err(PayloadError::NoTool));
    assert_eq!(read(br#"{"tool": 3}"#), Err(PayloadError::NoTool));
    assert_eq!(read(br#"{"tool": " "}"#), Err(PayloadError::NoTool));
    for bytes in [&b""[..], b"{", b"\xff\xfe{}", b"{\"tool\": \"x\"} more", "{\"a\":".repeat(5_000).as_bytes()] {
        assert!(matches!(read(bytes), Err(PayloadError::NoJson(_))), "{:?}", &bytes[..bytes.len().min(20)]);
    }
    let large = vec![b' '; usize::try_from(TOOL_PAYLOAD.bytes).unwrap() + 1];
    assert_eq!(read(&large), Err(PayloadError::TooLarge));
}

#[test]
fn equal_inputs_are_equal_texts() {
    let of = |text: &str| run(serde_json::from_str(text).unwrap()).input;
    assert_eq!(
        of(r#"{"tool":"x","input":{"a":1,"b":{"d":2,"c":3}}}"#),
        of(r#"{"tool":"x","input":{"b":{"c":3,"d":2},"a":1}}"#)
    );
}

/// Any JSON.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z {\\\\\":]{0,12}".prop_map(Value::from),
    ];
    let names: Vec<&'static str> = [
        EVENT,
        SESSION,
        TOOL,
        INPUT,
        DURATION,
        FOLDER,
        names::RESPONSE,
        names::EXIT,
        names::ERROR,
        names::SUCCESS,
        names::FAILURE,
        names::STATUS,
        names::OUTPUT,
        &["metadata", "workspace_roots"],
    ]
    .concat();
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let key = prop::sample::select(names.clone());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..8)
                .prop_map(|all| Value::Object(all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(mut report in any_json(), tool in "[a-z]{0,4}") {
        if let Value::Object(fields) = &mut report {
            fields.insert("tool".to_owned(), tool.into());
        }
        if let Ok(Some(run)) = read(report.to_string().as_bytes()) {
            prop_assert!(!run.is_ok || run.error.is_empty());
            prop_assert!(!run.is_ok || run.exit_code.is_none_or(|code| code == 0));
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }
}
