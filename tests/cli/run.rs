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
