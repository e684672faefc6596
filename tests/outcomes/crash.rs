use super::{failure, failures};
use crate::support::held::on_every_store;
use crate::support::ken::User;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

on_every_store!(a_kill_at_any_moment_leaves_rows_that_agree_with_their_counts);

/// Rows and what they are counted as agree after each kill, and what the hook said it kept is there.
fn a_kill_at_any_moment_leaves_rows_that_agree_with_their_counts(new: fn() -> User) {
    let kills = crate::support::long::amount("KEN_OUTCOME_KILLS", 200, 20);
    let user = new();
    let mut ended = 0;
    for kill in 0..kills {
        let mut command = user.command(&["hook", "post-tool"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let report = failure(&format!("s{}", kill % 3), "make", "make: *** No rule to make target 'x'.  Stop.");
        child.stdin.take().unwrap().write_all(report.to_string().as_bytes()).unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(kill) * 1_777 % 40_000));
        let ended_before = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        ended += u64::from(ended_before);
    }
    let found = failures(&user);
    let counted = found["failures"].get(0).map_or(0, |one| one["count"].as_u64().unwrap());
    let rows = found["kept"]["rows"].as_u64().unwrap();
    assert!(counted == rows && rows >= ended && rows <= u64::from(kills), "{ended} ended: {found}");
    user.assert_sound();
}
