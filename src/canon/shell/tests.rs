//! The grammar as a table, and against real shells.

use super::Reason::*;
use super::*;
use crate::text::shell_quote;
use proptest::prelude::*;
use std::path::Path;
use std::process::{Command, Stdio};

fn forms(step: &str) -> Vec<Form> {
    let declared = ["x", "y"].map(String::from).into();
    places(step, &declared).into_iter().map(|place| place.form).collect()
}

/// The form of the only capture in a piece of code, fenced since it may hold backticks.
fn in_code(code: &str) -> Form {
    match forms(&format!("Run:\n```\n{code}\n```")).as_slice() {
        [form] => *form,
        other => panic!("{code}: {other:?}"),
    }
}

#[test]
fn a_word_may_be_a_value() {
    let mut wrong = Vec::new();
    for code in [
        "rm {x}",
        "rm -- {x}",
        "aws s3 ls s3://{x}/y",
        "a --name={x}",
        "a name={x},b",
        "terraform apply -var {x}=<value>",
        "terraform import aws_s3_bucket.<address> {x}",
        "a <data directory>/b {x}",
        "a <b>/{x}",
        "a | grep {x}",
        "a && b {x} || c",
        "a; b {x} &",
        "a >/dev/null 2>&1 || b {x}",
        "a {x} >/dev/null 2>&1",
        "a 2>/dev/null {x}",
        "a </dev/null {x}",
        "( cd / && ls {x} )",
        "{ ls {x}; }",
        "if a {x}; then b; fi",
        "! a {x}",
        "FOO=1 a {x}",
        "FOO={x} a",
        "export FOO={x}",
        "env FOO={x} a",
        "sudo -u root rm {x}",
        "sudo env \"PATH=$PATH\" ls {x}",
        "echo 'it is' \"$HOME\" $(date) `date` ${HOME} $((1 + 2)) {x}",
        "echo \"a\"{x}'b'",
        "a $(brew --prefix)/opt/b@{x}/bin",
        "a $HOME/{x}",
        "a ${HOME}{x}",
        "a \"$HOME\"{x}",
        "a \\\n  {x}",
        "a \\' {x}",
        "a $'b\\n' {x}",
        "a <(b) {x}",
        "command -v {x}",
        "type -a {x}",
        "find {x} -type d -exec chmod 700 {} +",
        "a | xargs -n 1 b -n {x}",
        "python -c 'import sys; print(sys.argv[1])' {x}",
        "python -m pip install {x}",
        "node script.js {x}",
        "sh -c 'ls \"$1\"' sh {x}",
        "bash script.sh {x}",
        "psql -U {x} db",
        "psql -c 'select 1' {x}",
        "jq --arg name {x} .a",
        "awk -F: '{print $1}' {x}",
        "sed -n 1p {x}",
        "ssh {x}",
        "ssh -i {x} host",
        "docker exec -w / <container> ls -ld {x}",
        "kubectl exec pod -- ls {x}",
        "kubectl logs -c {x} pod",
        "make {x}",
        "git switch {x}",
        "git switch -c {x} --track origin/b",
        "-Wno-error={x}",
        "http://127.0.0.1:{x}",
        "$ ls {x}",
        "cat <<E\nbody\nE\nls {x}",
        "cat <<-'E' >a\n\tbody 'of\n\tE\nls {x}",
        "ls # a comment\nls {x}",
        "# a comment\nls {x}",
        "printf %s {x}",
        "[ -d {x} ]",
        "test -d {x}",
        "netstat -ano | findstr {x}",
        "a#b {x}",
        "a %b {x}",
    ] {
        wrong.extend((in_code(code) != Form::Word).then(|| format!("{code}: {:?}", in_code(code))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn elsewhere_a_value_is_refused() {
    let mut wrong = Vec::new();
    for (code, reason) in [
        ("terraform apply -var '{x}=<value>'", Quotes),
        ("a \"{x}\"", Quotes),
        ("a \"b\\\" {x}\"", Quotes),
        ("a 'b\\' '{x}'", Quotes),
        ("a $'b {x}'", Quotes),
        ("a $'it\\'s' {x}", Quotes),
        ("a $\"{x}\"", Quotes),
        ("a \"$(b \"c\")\" \"{x}\"", Quotes),
        ("a 'b {x}", Quotes),
        ("aws ec2 describe --query 'a[?b==`{x}`]'", Quotes),
        ("aws iam put-policy --policy '{\"a\": \"{x}\"}'", Quotes),
        ("psql -c \"drop table {x}\"", Quotes),
        ("sh -c 'ls {x}'", Quotes),
        ("ssh host 'ls {x}'", Quotes),
        ("a \"$(b {x})\"", Quotes),
        ("a $(b {x})", Substitution),
        ("a `b {x}`", Substitution),
        ("a ${b:-{x}}", Substitution),
        ("a $(( {x} + 1 ))", Substitution),
        ("(( {x} > 1 ))", Substitution),
        ("a $[{x}]", Substitution),
        ("a $[ 1 + {x} ]", Substitution),
        ("a <(b {x})", Substitution),
        ("a $(case b in c) d;; esac) {x}", Unclear),
        ("a $(b # it's\n) {x}", Unclear),
        ("a `b {x}", Unclear),
        ("cat <<E\n{x}\nE", HereDocument),
        ("cat <<E\n{x}", HereDocument),
        ("cat <<'E'\nb\n E\n{x}\nE", HereDocument),
        ("cat <<E\nb \\\nE\nls {x}\nE", HereDocument),
        ("cat <<$E\nb\nls {x}", HereDocument),
        ("a # {x}", Comment),
        ("# {x}", Comment),
        ("a # it's\nb {x}", Unclear),
        ("a \\{x}", Escaped),
        ("a $b{x}", Dollar),
        ("a ~{x}", Expanded),
        ("a !{x}", Expanded),
        ("a ={x}", Expanded),
        ("a {{x}}", Pattern),
        ("a {b,{x}}", Pattern),
        ("a {x}*", Pattern),
        ("a [{x}]", Pattern),
        ("a b=({x})", Pattern),
        ("a @({x})", Pattern),
        ("{x}() { a; }", Pattern),
        ("a > {x}", Redirection),
        ("a >>{x}", Redirection),
        ("a <{x}", Redirection),
        ("a <<<{x}", Redirection),
        ("a &> {x}", Redirection),
        ("a 2> {x}", Redirection),
        ("a {x}>b", Redirection),
        ("a <in>{x}", Redirection),
        ("a >| {x}", Redirection),
        ("{x}", CommandName),
        ("{x} --version", CommandName),
        ("./{x}", CommandName),
        ("a; {x}", CommandName),
        ("a | {x} b", CommandName),
        ("a && ( {x} )", CommandName),
        ("FOO=1 {x}", CommandName),
        ("sudo {x}", CommandName),
        ("sudo -u root {x}", CommandName),
        ("sudo env \"PATH=$PATH\" {x}", CommandName),
        ("env -u A B=1 {x}", CommandName),
        ("timeout -k 1 5 {x}", CommandName),
        ("a | xargs -n 1 {x}", CommandName),
        ("npx {x}", CommandName),
        ("find . -exec {x} {} +", CommandName),
        ("kubectl exec pod -- {x}", CommandName),
        ("docker exec -it box {x}", CommandName),
        ("bash {x}", CommandName),
        ("sudo bash -eu {x}", CommandName),
        ("exec {x}", CommandName),
        ("$a {x}", CommandName),
        ("b=1 $(a) ${c} {x}", CommandName),
        ("sudo $a {x}", CommandName),
        ("{x}=1 a", AssignmentName),
        ("{x}=<value>", AssignmentName),
        ("export {x}=<value>", AssignmentName),
        ("export {x}", AssignmentName),
        ("declare a{x}=1", AssignmentName),
        ("PATH={x} a", Evaluated),
        ("LD_PRELOAD={x} a", Evaluated),
        ("export GIT_SSH_COMMAND={x}", AssignmentName),
        ("eval {x}", Evaluated),
        (". {x}", Evaluated),
        ("sudo bash -c {x}", Evaluated),
        ("bash -lc {x}", Evaluated),
        ("bash -o pipefail -c {x}", Evaluated),
        ("kubectl exec pod -- sh -c {x}", Evaluated),
        ("find . -exec sh -c {x} ';'", Evaluated),
        ("powershell -Command Get-Item {x}", Evaluated),
        ("ssh host ls {x}", Evaluated),
        ("ssh -o ProxyCommand={x} host", Evaluated),
        ("watch ls {x}", Evaluated),
        ("psql -c {x}", Evaluated),
        ("psql --command={x}", Evaluated),
        ("mysql -e{x}", Evaluated),
        ("python -c {x}", Evaluated),
        ("python {x}", Evaluated),
        ("python -m {x}", Evaluated),
        ("sed s/{x}/b/ c", Evaluated),
        ("awk {x} b", Evaluated),
        ("jq .{x} b", Evaluated),
        ("make CFLAGS={x}", Evaluated),
        ("python $a {x}", Evaluated),
        ("bash $a {x}", Evaluated),
        ("git -c {x} status", Evaluated),
        ("unset {x}", Evaluated),
        ("test -v {x}", Evaluated),
        ("for a in {x}; do b; done", Condition),
        ("[[ a == {x} ]]", Condition),
        ("[[ a && b -eq {x} ]]", Condition),
        ("case {x} in a) b;; esac", Condition),
        ("case a in {x}) b;; esac", Condition),
        ("ALTER ROLE {x} LOGIN", Language),
        ("\\d {x}", Language),
        ("%pip install {x}", Language),
        ("image: {x}", Language),
        ("a >&1<(b){x}", Redirection),
        ("a <(b)c{x}", Redirection),
        ("a $q<n>p{x}", Dollar),
        ("a $\\\n{x}", Unclear),
        ("a $q\\\n{x}", Unclear),
        ("name = {x}", Language),
        ("$env:A = {x}", Language),
        ("a ) {x}", Unclear),
        ("a ( {x} )", Unclear),
        ("a >; {x}", Unclear),
    ] {
        wrong.extend((in_code(code) != Form::Never(reason)).then(|| format!("{code}: {:?}", in_code(code))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn prose_is_read_too() {
    for (step, form) in [
        ("Empty {x} first.", Form::Word),
        ("Empty \"the\" {x}, then 'go' on.", Form::Word),
        ("{x} is missing.", Form::Bare),
        ("Don't touch {x}.", Form::Bare),
        ("It is here ({x}).", Form::Bare),
        ("The nodes' {x}.", Form::Bare),
        ("See #3 for {x}.", Form::Bare),
        ("It holds {x}*.", Form::Bare),
        ("Empty '{x}'.", Form::Never(Quotes)),
        ("It says \"no {x}\".", Form::Never(Quotes)),
        ("Run sh -c {x} now.", Form::Never(Evaluated)),
        ("eval {x}", Form::Never(Evaluated)),
        ("Costs $a{x}.", Form::Never(Dollar)),
        ("In C:\\{x}.", Form::Never(Escaped)),
        ("Never closed ` {x}.", Form::Never(Unclear)),
    ] {
        assert_eq!(forms(step), [form], "{step}");
    }
}

#[test]
fn code_is_what_stands_between_backticks() {
    let (word, quotes) = (Form::Word, Form::Never(Quotes));
    assert_eq!(forms("Use `a {x}`, then `b '{y}'`, and {x}."), [word, quotes, word]);
    assert_eq!(forms("Use ``a `b` {x}`` or ```c '{y}'```."), [word, quotes]);
    assert_eq!(forms("Like this:\n```sh\nls {x}\n```\nor\n```yaml\nname {y}\n```"), [word, Form::Never(Language)]);
    assert_eq!(forms("Don't: `ls {x}`"), [Form::Bare]);
    assert_eq!(forms("Say \"`ls {x}`\" and `ls {y}`"), [Form::Bare, word]);
    assert_eq!(forms("No {z}, {}, {x, `echo ${x} \"${y}\"`"), []);
    assert_eq!(forms(&format!("Use `a {{x}}{}`.", " ".repeat(20_000))), [Form::Never(Unclear)]);
}

/// Values that do harm wherever they are read as anything but a word.
const HOSTILE: &[&str] = &[
    "$(t a)",
    "'; t b; '",
    "\"; t c; \"",
    "; t d #",
    "x && t e",
    "x | t f",
    "x > made",
    "x' > made '",
    "a b  c",
    "*",
    "{a,b}",
    "~",
    "!t",
    "$x",
    "${x}",
    "\\x",
    "\\'",
    "#",
    "a\\$(t g)",
    "=t",
    "<(t h)",
    "a=b",
    "[a-z]",
    "ä ö",
    "it's",
    "& t i &",
];

/// Pieces of lines: what may stand next to what is for the shells to say.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "p", "q", " ", " ", " ", "{x}", "{x}", " {x} ", "'", "\"", "\\", "$(", ")", "`", "${", "}", "$", "(", "{",
        "<<E", "<<'E'", "\nE\n", "\n", ";", "&&", "|", "&", "#", "=", "a=", "$'", "$\"", "~", "*", "[", "]", "[[",
        "]]", "((", "))", "if", "then", "fi", "case", "in", "esac", "do", "done", "!", "<n>", "${q}", "$1", "$q",
        "'b c'", "\"b $q\"", "\\'", "\\\n", "p ", "q ", "$((", "$[", "export ", "eval ", "2>&1", "\t", ",", "@(",
        "<(p)", "q=1 ",
    ]);
    fixed.prop_map(str::to_owned)
}

/// What a shell does with a line: the arguments of each program it starts, and whether it made a file.
fn traced(shell: &str, line: &str, folder: &Path) -> (BTreeSet<Vec<String>>, bool) {
    let (work, log) = (folder.join("work"), folder.join("log"));
    for made in [&work, &log] {
        let _ = std::fs::remove_dir_all(made);
        std::fs::create_dir_all(made).unwrap();
    }
    let script = folder.join("script");
    std::fs::write(&script, line).unwrap();
    let mut command = Command::new(shell);
    command.arg(&script).current_dir(&work).env_clear();
    command.env("PATH", folder.join("bin")).env("HOME", &work).env("TRACE", &log);
    // Waits for what runs in the background too: it holds these pipes.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let calls = std::fs::read_dir(&log)
        .unwrap()
        .map(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            bytes.split(|&b| b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
        })
        .collect();
    (calls, std::fs::read_dir(&work).unwrap().next().is_some())
}

/// Programs that write down how they were called, and nothing else on the path.
fn tracers(folder: &Path, names: &[&str]) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    let tracer = folder.join("tracer");
    std::fs::write(&tracer, "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" >\"$TRACE/$$\"\n").unwrap();
    std::fs::set_permissions(&tracer, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Another process writes them. If this one did, a child that another test has just forked could still hold such a
    // file open for writing, and a program that is open for writing cannot be started.
    let copy = ["-c", "for name; do cp tracer \"bin/$name\" || exit; done", "sh"];
    let copied = Command::new("sh").args(copy).args(names).current_dir(folder).status().unwrap();
    assert!(copied.success());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_global_rejects: 20_000, ..ProptestConfig::default() })]
    /// The referee: where the reading says that a value may stand, sh and bash do the same with a hostile one as with a
    /// harmless one, and hand it on whole.
    #[test]
    fn the_shells_agree(pieces in prop::collection::vec(piece(), 1..9), seed in 0..HOSTILE.len()) {
        let line = format!("p {}", pieces.concat());
        // Numbers of processes are never the same twice, and bash reads `{x}=~` as an assignment where x can be a name.
        prop_assume!(!["$$", "$!", "=~"].iter().any(|odd| line.contains(odd)));
        let declared: BTreeSet<String> = ["x".to_owned()].into();
        let holes = holes(&line, &declared);
        let mut reader = Reader::code(line.as_bytes(), 0, &holes);
        reader.read();
        let found: Vec<Option<Reason>> = reader.verdicts().collect();
        prop_assume!(found.contains(&None));
        let filled = |value: &str| -> String {
            let (mut out, mut at) = (String::new(), 0);
            for (hole, reason) in holes.iter().zip(&found) {
                out.push_str(&line[at..hole.start]);
                out.push_str(if reason.is_none() { value } else { "refused" });
                at = hole.end;
            }
            // A placeholder is replaced by whoever pastes the line.
            (out + &line[at..]).replace("<n>", "placed")
        };
        let folder = tempfile::tempdir().unwrap();
        tracers(folder.path(), &["p", "q", "t", "placed", "harmless", "refused"]);
        for shell in ["/bin/sh", "/bin/bash"] {
            let (calm, calm_made) = traced(shell, &filled("harmless"), folder.path());
            for value in HOSTILE.iter().cycle().skip(seed).take(3) {
                let Some(word) = shell_quote(value) else { continue };
                let (calls, made) = traced(shell, &filled(&word), folder.path());
                let call = |call: &Vec<String>| call.iter().map(|word| word.replace("harmless", value)).collect();
                let hoped: BTreeSet<Vec<String>> = calm.iter().map(call).collect();
                prop_assert_eq!(&calls, &hoped, "{} read {:?} with {:?}", shell, line, value);
                prop_assert!(calm_made || !made, "{} made a file by {:?} with {:?}", shell, line, value);
            }
        }
    }
}

#[test]
fn a_long_step_is_read_in_no_time() {
    let begun = std::time::Instant::now();
    for piece in ["$(", "\"$(", "`", "${", "(", "{", "'", "<<E\n", "\\", "sudo ", "{x}", "$'", "((", "<a", "p {x} ;"] {
        let step = format!("{}{{x}}", piece.repeat(4_000));
        let _ = places(&step, &["x".to_owned()].into());
        let _ = places(&piece.repeat(1_000_000), &["x".to_owned()].into());
        let _ = places(&format!("`{step}`"), &["x".to_owned()].into());
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
