//! What the system tells of the machine and of this process, for measurements.

use crate::engine::face::system::{self, Links};
use crate::eval::retrieval::Machine;
use crate::types::Platform;
use crate::types::limits::{OS_RELEASE, PROCESS_TABLE};
use std::ffi::OsString;
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

/// Programs that run others somewhere else.
const ELSEWHERE: &[&str] =
    &["docker", "docker-compose", "podman", "buildah", "nerdctl", "kubectl", "helm", "ssh", "vagrant", "act", "wsl"];

/// Where a command runs: on this machine, unless one of its words is a program that takes it elsewhere.
pub(super) fn platform_of_command(words: &[OsString]) -> Option<Platform> {
    let name = |word: &OsString| Path::new(word).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let elsewhere = words.iter().filter_map(name).any(|word| ELSEWHERE.contains(&word.as_str()));
    if elsewhere { None } else { platform() }
}

/// The platform of this machine.
fn platform() -> Option<Platform> {
    match std::env::consts::OS {
        "windows" => Some(Platform::Windows),
        "macos" => Some(Platform::Macos),
        "linux" => {
            let release = system::read_text(Path::new("/etc/os-release"), Links::Follow, OS_RELEASE);
            Some(family(&release.unwrap_or_default()))
        }
        _ => None,
    }
}

/// The family of a distribution, by its os-release(5).
fn family(release: &str) -> Platform {
    let value = |key: &str| release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let names = format!("{} {}", value("ID").unwrap_or_default(), value("ID_LIKE").unwrap_or_default());
    let mut named = names.split(|c: char| !c.is_ascii_alphanumeric());
    let known = named.find_map(|name| match name {
        "debian" | "ubuntu" => Some(Platform::Debian),
        "fedora" | "rhel" | "centos" | "amzn" => Some(Platform::Fedora),
        "alpine" => Some(Platform::Alpine),
        "arch" => Some(Platform::Arch),
        _ => None,
    });
    known.unwrap_or(Platform::Linux)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_by_what_they_are_like() {
        assert_eq!(family("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), Platform::Debian);
        assert_eq!(family("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), Platform::Fedora);
        assert_eq!(family("ID=nixos\n"), Platform::Linux);
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(platform_of_command(&words("sudo /usr/bin/docker build .")), None);
        assert_eq!(platform_of_command(&words("make test")), platform());
    }

    #[test]
    fn the_peak_is_read_where_it_is_told() {
        assert_eq!(peak_of("Name:\tken\nVmHWM:\t  123456 kB\nVmRSS:\t    9 kB\n"), Some(120));
        assert_eq!(peak_of("VmRSS:\t 9 kB\n"), None);
        assert_eq!(peak_of("VmHWM:\t many kB\n"), None);
    }
}
