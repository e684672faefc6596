//! When a command is killed: at moments that spread over all of its run.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where in a run the next one is killed: spread evenly, in an order that looks like chance. How long a run takes is
/// learnt anew on the way, as other tests come and go beside this one.
pub struct Moments {
    whole: Duration,
    next: u32,
}

impl Moments {
    /// Runs a command once to its end.
    pub fn new(mut command: Command) -> Self {
        let started = Instant::now();
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        Self { whole: started.elapsed(), next: 7 }
    }

    /// Starts a command and kills it; whether it was still running.
    pub fn kill(&mut self, mut command: Command) -> bool {
        self.next = (self.next * 37 + 11) % 101;
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(self.whole * self.next / 100);
        let running = child.try_wait().unwrap().is_none();
        match running {
            true if self.next >= 90 => self.whole = self.whole * 3 / 2,
            // The first run may have been slow because the machine was busy.
            false if self.next <= 85 => self.whole = self.whole * 2 / 3,
            _ => {}
        }
        child.kill().unwrap();
        child.wait().unwrap();
        running
    }
}
