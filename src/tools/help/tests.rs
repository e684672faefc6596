use super::*;
use proptest::prelude::*;

fn read(program: &str, text: &str) -> Vec<Tool> {
    read_help(text, program, "").unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn says(program: &str, text: &str) -> Vec<(String, String)> {
    read(program, text).into_iter().map(|tool| (tool.name, tool.description)).collect()
}

/// The parameters of the only tool: `name kind`, and an exclamation mark for what must be given.
fn takes(program: &str, text: &str) -> Vec<String> {
    let tools = read(program, text);
    assert_eq!(tools.len(), 1, "{tools:?}");
    let of = |one: &ToolField| format!("{}{} {}", one.name, if one.required { "!" } else { "" }, one.kind);
    tools[0].parameters.iter().map(of).collect()
}

fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted.iter().map(|(name, says)| ((*name).to_owned(), (*says).to_owned())).collect()
}

#[test]
fn commands_are_listed_in_many_ways() {
    let wanted = pairs(&[("bake bread", "Bake a loaf"), ("bake list", "List what is in the oven")]);
    for text in [
        concat!(
            "Bakes things\n\nUsage: bake [OPTIONS] <COMMAND>\n\nCommands:\n  bread, b  Bake a loaf\n",
            "  list      List what is in\n            the oven\n  help      Print this\n\nOptions:\n",
            "  -q  Be quiet\n",
        ),
        concat!(
            "bake 2.1 (arm)\nUsage: bake command\n\nMost used commands:\n  bread - Bake a loaf\n",
            "  list - List what is in the oven\n\nSee bake(8) for more information about commands.\n",
        ),
        concat!(
            "usage: bake [-v] <command>\n\nThese are the commands that bakers use:\n\n",
            "make something (see also: bake help make)\n   bread   Bake a loaf\n\nlook around\n",
            "   list    List what is in the oven\n\n'bake help -a' lists all of them and some more.\n",
            "See there.\n",
        ),
        concat!(
            "Usage:\n  bake [command]\n\nAvailable Commands:\n  bread\n    Bake a loaf\n  list\n",
            "    List what is in the oven\n  ...     See all with --list\n\n",
            "Use \"bake [command] --help\" for more information about a command.\n",
        ),
        "BAKE COMMANDS\n  bread:  Bake a loaf\n  list:   List what is in the oven\n\nFLAGS\n  --help  Show help\n",
        concat!(
            "bake: bakes\n\n  bake bread          Bake a loaf\n",
            "  bake list           List what is in the\n                      oven\n",
        ),
    ] {
        // A colon behind a name is none of it.
        let found: Vec<(String, String)> = says("bake", text);
        assert_eq!(found, wanted, "{text}");
    }
    let named: Vec<String> = says(
        "bake",
        concat!(
            "Usage:\n\nbake fresh   bake it all again\n\nAll commands:\n\n    bread, cake, list,\n",
            "    ls\n\nFound at:\n    /opt/bake, /usr/bake, x\n",
        ),
    )
    .into_iter()
    .map(|(name, _)| name)
    .collect();
    assert_eq!(named, ["bake fresh", "bake bread", "bake cake", "bake list", "bake ls"]);
    let columns = says("bake", "help:\n\nOven commands\nbread      cake      list\nls         rolls     tarts\n");
    assert_eq!(columns.len(), 6, "{columns:?}");
}

#[test]
fn a_command_takes_what_its_line_names() {
    let tools = read(
        "unit",
        concat!(
            "unit [OPTIONS...] COMMAND ...\n\nRun units.\n\nUnit Commands:\n",
            "  list [PATTERN...]         List units\n  start UNIT...             Start one or more\n",
            "  set-limit UNIT NAME=VALUE Set a limit\n",
        ),
    );
    let of = |tool: &Tool| tool.parameters.iter().map(|one| (one.name.clone(), one.required)).collect::<Vec<_>>();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["unit list", "unit start", "unit set-limit"]);
    assert_eq!(of(&tools[0]), [("pattern".to_owned(), false)]);
    assert_eq!(of(&tools[1]), [("unit".to_owned(), true)]);
    // Its name reaches up to the column of the descriptions.
    assert_eq!(of(&tools[2]), [("unit".to_owned(), true), ("name".to_owned(), true)]);
    assert_eq!((tools[2].description.as_str(), tools[2].tags.as_slice()), ("Set a limit", &["unit".to_owned()][..]));
    assert_eq!(read_help("Commands:\n  a  Do a\n", "unit", "mine").unwrap()[0].key(), "mine/unit a");
}

#[test]
fn options_are_listed_in_many_ways() {
    let wanted = ["file! string", "quiet boolean", "jobs integer", "out string", "x boolean"];
    for text in [
        concat!(
            "Packs files\n\nUsage: pack [OPTIONS] <FILE>\n\nOptions:\n  -q, --quiet      Say less\n",
            "  -j, --jobs <N>   How many at once\n      --out <DIR>  Where to\n",
            "  -x               Cross\n  -h, --help       Print help\n",
        ),
        concat!(
            "usage: pack [<options>] [--] <file>\n\n    -q, --[no-]quiet      say less\n",
            "    -j, --[no-]jobs <n>   how many at once\n    --out[=<dir>]\n",
            "                          where to\n    -x                    cross\n",
        ),
        concat!(
            "Usage: pack [OPTION]... FILE\nPack files together.\n\n  -q,  --quiet        say less\n",
            "  -j,  --jobs=NUMBER  how many at once; this is\n                      --quiet about it\n",
            "       --out=FILE     where to\n  -x                  cross\n",
            "      --version  output version information and exit\n",
        ),
        concat!(
            "pack [-options] file\n  -q|--quiet  say less\n  -j|--jobs N  how many at once\n",
            "  --out dir : where to\n  -x   cross\n",
        ),
        "usage: pack [--quiet] [--jobs n] [--out dir]\n            [-x] file\n",
    ] {
        assert_eq!(takes("pack", text), wanted, "{text}");
    }
    let two = "Usage: zap file\n  -f   freshen: what changed  -u   update: what is new\n  -d   delete\n";
    assert_eq!(takes("zap", two), ["file! string", "f boolean", "u boolean", "d boolean"]);
    let described = &read("zap", two)[0];
    assert_eq!(described.parameters[1].description, "freshen: what changed");
    assert_eq!(described.description, "freshen: what changed; update: what is new; delete");
    let find = "Usage: seek [path...]\n\nTests:\n      -mount -depth LEVELS -name PATTERN\n";
    assert_eq!(takes("seek", find), ["path string", "mount boolean", "depth string", "name string"]);
}

#[test]
fn what_must_be_given_is_in_every_form() {
    let takes = |text: &str| takes("p", text).join(", ");
    assert_eq!(takes("usage: p clone [<options>] [--] <repo> [<dir>]\n"), "clone! string, repo! string, dir string");
    assert_eq!(takes("Usage: p [-D] LOGIN\n       p --all\n"), "login string, D boolean");
    assert_eq!(
        takes("Usage: p [OPTION]... SOURCE... DIRECTORY\n  or:  p [OPTION]... DIRECTORY\n"),
        "source string, directory! string"
    );
    assert_eq!(takes("Usage: /opt/bin/p [-c cmd | file] [arg] ...\n -c cmd  Run it\n"), "arg string, c string");
    assert_eq!(takes("Usage: p -r <requirements file> <name of it>\n"), "name of it! string");
    assert_eq!(takes("Usage: p start | stop\n"), "start string, stop string");
    let sub = read("p clone", "usage: p clone <repo>\n");
    assert_eq!((sub[0].name.as_str(), sub[0].parameters.len()), ("p clone", 1));
}

#[test]
fn a_program_says_what_it_does_before_its_lists() {
    let about = |text: &str| read("p", text).remove(0).description;
    assert_eq!(about("Moves the moon\n\nUsage: p X\n"), "Moves the moon");
    assert_eq!(
        about("p 1.2.3 (x)\nCopyright (C) 1999 A B\n\nUsage: p X\nMoves the moon\nslowly.\n\n  -q  Q\n"),
        "Moves the moon slowly."
    );
    assert_eq!(
        about("Usage:\n  p X\n\nDescription:\n  Moves the moon from:\n  - here\n\nOptions:\n  -q  Q\n"),
        "Moves the moon from: - here"
    );
    assert_eq!(about("Usage: p <url>\n -q  Be very quiet\n\nThis is not the full help.\n"), "Be very quiet");
    assert_eq!(about("Usage: p <url>\n"), "<url>");
}

#[test]
fn colours_and_bold_letters_are_no_text() {
    let plainly = "Moves the moon\n\nUsage: p [OPTIONS] <X>\n\nOptions:\n  -q, --quiet  Say less\n";
    let coloured =
        plainly.replace("Usage:", "\u{1b}[1m\u{1b}[4mUsage:\u{1b}[0m").replace("--quiet", "\u{1b}[1m--quiet\u{1b}[0m");
    let bold = plainly.replace("Usage", "U\u{8}Us\u{8}sa\u{8}ag\u{8}ge\u{8}e").replace("<X>", "_\u{8}<_\u{8}X_\u{8}>");
    for text in [&coloured, &bold, &plainly.replace('\n', "\r\n")] {
        assert_eq!(read("p", text), read("p", plainly), "{text:?}");
    }
    // Another gap says the same, in another form.
    let parameters = |text: &str| read("p", text).remove(0).parameters;
    assert_eq!(parameters(&plainly.replace("  Say", "\tSay")), parameters(plainly));
}

#[test]
fn what_is_no_help_text_is_refused() {
    for text in [
        "",
        "\n\n\n",
        "hello",
        "p: command not found",
        "{\"name\": \"x\"}",
        "Error:\n  it is broken\n",
        &"\u{0}".repeat(1000),
    ] {
        assert_eq!(read_help(text, "p", ""), Err(NoTools::Help), "{text:?}");
    }
    assert_eq!(read_help("Usage: p X\n", "  ", ""), Err(NoTools::Help));
    // Examples are no commands.
    assert_eq!(
        read("p", "Usage: p X\n\nExamples:\n  p move the moon   # Moves it\n  p stop            Stops it\n").len(),
        1
    );
}

#[test]
fn a_text_that_never_ends_is_read_in_time() {
    let deep: String = (0..20_000).map(|at| format!("{}p x{at}\n", " ".repeat(at % 50))).collect();
    let wide = format!("Usage: p {}\n", "[a] b ".repeat(100_000));
    let names = format!("Commands:\n{}", "  a, b, c, d, e, f\n".repeat(50_000));
    let many: String = (0..50_000).map(|at| format!("  --o{at}  Say {at}\n")).collect();
    for text in [&deep, &wide, &names, &many] {
        let read = read_help(text, "p", "");
        assert!(read.is_ok_and(|tools| tools.iter().all(|tool| tool.parameters.len() <= FIELDS)));
    }
}

proptest! {
    /// Whatever is read, every tool has a name of its own that begins with the program, and no line break.
    #[test]
    fn any_text_is_read_or_refused(text in concat!(
            "(Usage: |p |Commands:|Options:|  |   |-|--|a|",
            "bc|\\[|\\]|<|>|=|, |\\||\n|\n\n|\t|\u{8}|\u{1b}\\[1m|\u{e9}| : |\\.\\.\\.){0,120}"
        )) {
        if let Ok(tools) = read_help(&text, "p", "") {
            let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            prop_assert!(names.iter().all(|name| *name == "p" || name.starts_with("p ")));
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), count);
            for tool in &tools {
                prop_assert!(!tool.name.contains('\n') && !tool.description.contains('\n'));
                prop_assert!(tool.parameters.iter().all(|one| !one.name.is_empty() && !one.description.contains('\n')));
            }
        }
    }
}
