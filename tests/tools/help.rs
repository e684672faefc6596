//! Tools that are read from what programs print of themselves.

use super::*;
use crate::support::ken::run;

const OVEN: &str = "Bakes things\n\nUsage: oven [OPTIONS] <COMMAND>\n\nCommands:\n  loaf   Bake a loaf of bread\n  \
    heat   Turn on the heat of the oven\n\nOptions:\n  -q  Be quiet\n";

fn piped(user: &User, words: &[&str], text: &[u8]) -> Ran {
    run(user.command(&[&["tools", "add", "--json"], words].concat()), text)
}

#[test]
fn the_subcommands_of_a_program_become_tools() {
    let user = User::new();
    let added = piped(&user, &["--from-help", "oven"], OVEN.as_bytes()).json();
    assert_eq!(added["added"], json!(["oven heat", "oven loaf"]), "{added}");
    let found = user.ken(&["tools", "find", "bake a loaf of bread"]);
    assert!(found.out.starts_with("1. oven loaf\n"), "{found:?}");
    // The same again, from a file and from a command, is no change; nor is anything else in the text.
    let path = user.write("help.txt", OVEN.replace("Be quiet", "Say less"));
    let again = piped(&user, &["--from-help", "oven", path.to_str().unwrap()], b"").json();
    assert_eq!((&again["unchanged"], &again["changed"]), (&json!(2), &json!([])), "{again}");
    // One that says something else waits to be approved, as from any other source.
    let changed = piped(&user, &["--from-help", "oven"], OVEN.replace("a loaf", "a cake").as_bytes()).json();
    assert_eq!((&changed["unchanged"], &changed["changed"]), (&json!(1), &json!(["oven loaf"])), "{changed}");
    // With a server's name they stay apart, and go together.
    assert_eq!(piped(&user, &["--from-help", "oven", "--server", "kitchen"], OVEN.as_bytes()).code, 0);
    assert_eq!(user.ken(&["tools", "remove", "kitchen/", "--json"]).json()["removed"].as_array().unwrap().len(), 2);
}

#[test]
fn a_command_is_run_only_if_it_is_given() {
    let user = User::new();
    let marks = user.work().join("mark");
    let script = user.write("oven", format!("#!/bin/sh\ntouch '{}'\necho \"$HELP\" >&2\nexit 3\n", marks.display()));
    let text = "usage: oven loaf [--salt <n>] <flour>\n\n    --salt <n>   grams of salt\n";
    assert_eq!(piped(&user, &["--from-help", script.to_str().unwrap()], text.as_bytes()).code, 0);
    assert!(!marks.exists(), "the program was run");
    let words = ["tools", "add", "--json", "--from-help", "oven loaf", "--", "sh", script.to_str().unwrap(), "--help"];
    let mut command = user.command(&words);
    command.env("HELP", text);
    let ran = run(command, b"");
    assert_eq!(ran.json()["added"], json!(["oven loaf"]), "{ran:?}");
    assert!(marks.exists());
    let listed = user.ken(&["tools", "list", "--json"]).json();
    let loaf = listed["tools"].as_array().unwrap().iter().find(|tool| tool["key"] == "oven loaf").unwrap();
    assert_eq!(loaf["parameters"][0], json!({"name": "flour", "kind": "string", "required": true}), "{loaf}");
    let salt = json!({"name": "salt", "kind": "integer", "required": false, "description": "grams of salt"});
    assert_eq!(loaf["parameters"][1], salt, "{loaf}");
}

#[test]
fn what_is_no_help_is_refused() {
    let user = User::new();
    for (words, text, why) in [
        (&["--from-help", "p"][..], &b""[..], "is empty"),
        (&["--from-help", "p"], b"p: command not found\n", "neither a line of usage"),
        (&["--from-help", "p"], b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe", ""),
        (&["--from-help", "p"], &[b'x'; (1 << 20) + 1], "1 MiB at most"),
        (&["--from-help", "p", "no-such-file"], b"", "no-such-file"),
        (&["--from-help", "p", "--", "no-such-program-here"], b"", "no-such-program-here"),
        // One that prints without end is ended.
        (
            &[
                "--from-help",
                "p",
                "--",
                "sh",
                "-c",
                "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
            ],
            b"",
            "at most",
        ),
        (&["--from-help", "p", "--mcp"], b"", ""),
        (&["--", "true"], b"", ""),
        (&["file.json", "--from-help", "p", "--", "true"], b"", ""),
    ] {
        let ran = piped(&user, words, text);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(ran.code != 0 && told.contains(why) && !told.contains("panicked"), "{words:?}: {ran:?}");
    }
    assert_eq!(user.ken(&["tools", "list"]).code, 1);
}

/// Our own help is read as any other program's.
#[test]
fn ken_reads_its_own_help() {
    let user = User::new();
    let help = user.ken(&["--help"]).out;
    let added = piped(&user, &["--from-help", "ken"], help.as_bytes()).json();
    let added: Vec<&str> = added["added"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
    assert!(added.len() > 25 && added.contains(&"ken lookup") && !added.contains(&"ken help"), "{added:?}");
    let one = user.ken(&["tools", "add", "--help"]).out;
    let added = piped(&user, &["--from-help", "ken tools add"], one.as_bytes()).json();
    assert_eq!(added["added"], json!(["ken tools add"]), "{added}");
}
