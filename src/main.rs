//! The `ken` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    kenning::cli::main()
}
