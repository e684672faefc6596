//! What the system tells of the machine and of this process, for measurements.

use crate::engine::face::system::{self, Links};
use crate::eval::retrieval::Machine;
use crate::types::limits::PROCESS_TABLE;
use std::path::Path;

/// The machine.
pub(super) fn machine() -> Machine {
    let cpus = system::read_text(Path::new("/proc/cpuinfo"), Links::Follow, PROCESS_TABLE).unwrap_or_default();
    let name = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    Machine {
        cpu: name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned()),
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        os: std::env::consts::OS.to_owned(),
    }
}

/// The most memory that this process has held, where the system tells.
pub(super) fn peak_mib() -> Option<u64> {
    peak_of(&system::read_text(Path::new("/proc/self/status"), Links::Follow, PROCESS_TABLE).ok()?)
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_where_it_is_told() {
        assert_eq!(peak_of("Name:\tken\nVmHWM:\t  123456 kB\nVmRSS:\t    9 kB\n"), Some(120));
        assert_eq!(peak_of("VmRSS:\t 9 kB\n"), None);
        assert_eq!(peak_of("VmHWM:\t many kB\n"), None);
    }
}
