use crate::support::ken::User;

#[test]
fn output_and_exit_code_pass_through() {
    let user = User::new();
    let ran = user.ken(&["run", "--", "sh", "-c", "echo out; echo err >&2; exit 3"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, "out\n"));
    assert!(ran.err.starts_with("err\n"));
    let fine = user.ken(&["run", "--", "sh", "-c", "echo 'error[E0382]: borrow of moved value: `s`'"]);
    assert_eq!((fine.code, fine.err.as_str()), (0, ""));
}

#[test]
fn a_failure_is_explained_on_standard_error() {
    let script = "echo 'error[E0382]: borrow of moved value: `s`' >&2; exit 101";
    let ran = User::new().ken(&["run", "--", "sh", "-c", script]);
    assert_eq!((ran.code, ran.out.as_str()), (101, ""));
    assert!(ran.err.contains("rust/use-after-move"), "{}", ran.err);
}

/// Prints an error that is forgiven, and another one if the file `broken` is there.
const FLAKY: &str = "echo 'error[E0499]: cannot borrow `v` as mutable more than once at a time'; \
    echo; echo ok; echo ok; if [ -e broken ]; then echo 'error[E0382]: borrow of moved value: `s`'; \
    echo 'The command \"make\" exited with 2.'; exit 2; fi";

fn kept(user: &User) -> Vec<std::path::PathBuf> {
    let folder = std::fs::read_dir(user.home().join("passing"));
    folder.into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_failure_is_compared_with_the_last_run_that_passed_where_that_is_wanted() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    let run = || user.ken(&["run", "--", "sh", "-c", FLAKY]);
    let fail = || {
        std::fs::write(user.work().join("broken"), "").unwrap();
        let ran = run();
        std::fs::remove_file(user.work().join("broken")).unwrap();
        assert_eq!(ran.code, 2, "{ran:?}");
        ran.err
    };
    assert_eq!((run().code, kept(&user)), (0, vec![]), "nothing is kept unless it is wanted");
    let alone = fail();
    assert!(alone.contains("second-mutable-borrow"), "{alone}");
    user.write("config.toml", "[run]\nkeep_passing = true\n");
    assert_eq!((run().code, run().err.as_str()), (0, ""));
    let files = kept(&user);
    assert_eq!(files.len(), 1);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&files[0]), mode(files[0].parent().unwrap())), (0o600, 0o700));
    let text = String::from_utf8_lossy(&std::fs::read(&files[0]).unwrap()).into_owned();
    assert!(!text.contains("borrow") && !text.contains("ok"));
    let compared = fail();
    assert!(!compared.contains("second-mutable-borrow") && compared.contains("use-after-move"), "{compared}");
    // Damaged, it is told and left out; gone with everything else.
    std::fs::write(&files[0], "kenpass1 and more").unwrap();
    let damaged = fail();
    assert!(damaged.contains("their file is damaged") && damaged.contains("second-mutable-borrow"), "{damaged}");
    assert_eq!(user.ken(&["purge", "--yes"]).code, 0);
    assert!(!user.home().join("passing").exists());
}

#[test]
fn an_unknown_failure_adds_nothing() {
    let ran = User::new().ken(&["run", "--", "sh", "-c", "echo plutonium is low >&2; exit 1"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, "plutonium is low\n"));
}

#[test]
fn commands_that_cannot_run_and_signals_have_the_shell_s_codes() {
    let user = User::new();
    assert_eq!(user.ken(&["run", "--", "ken-no-such-command"]).code, 127);
    let work = user.work();
    std::fs::write(work.join("plain.txt"), "x").unwrap();
    assert_eq!(user.ken(&["run", "--", "./plain.txt"]).code, 126);
    assert_eq!(user.ken(&["run", "--", "sh", "-c", "kill -9 $$"]).code, 137);
}

#[test]
fn what_is_true_of_any_error_is_said_only_when_asked() {
    let script = "echo \"NameError: name 'totl' is not defined\" >&2; exit 1";
    let user = User::new();
    let silent = user.ken(&["run", "--", "sh", "-c", script]);
    assert_eq!((silent.code, silent.err.lines().count()), (1, 1), "{silent:?}");
    let asked = user.ken(&["run", "--general", "--", "sh", "-c", script]);
    assert!(asked.code == 1 && asked.err.contains("general: true of any error"), "{asked:?}");
}
