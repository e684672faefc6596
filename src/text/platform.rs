//! On which platform a text was printed, as far as its words tell.

use crate::types::Platform;

/// Words that only one platform's texts have.
const CUES: &[(Platform, &[&str])] = &[
    (
        Platform::Windows,
        &[
            "is not recognized as an internal or external command",
            "is not recognized as the name of a cmdlet",
            "Microsoft Windows",
            "Windows PowerShell",
            ":\\Users\\",
            ":\\Program Files",
            ":\\Windows\\",
            "PS C:\\",
        ],
    ),
    (
        Platform::Macos,
        &["/Users/", "/opt/homebrew/", "/usr/local/Cellar/", "/Library/Developer/", "/Applications/Xcode"],
    ),
    (Platform::Debian, &["apt-get ", "apt install", "/etc/apt/", "dpkg: ", "dpkg (", "Ubuntu", "Debian"]),
    (Platform::Fedora, &["dnf ", "yum ", "CentOS", "Red Hat", "Fedora", "Amazon Linux", "Rocky Linux", "AlmaLinux"]),
    (Platform::Alpine, &["apk add", "/etc/apk/", "alpine", "Alpine"]),
    (Platform::Arch, &["pacman ", "Arch Linux"]),
    (
        Platform::Linux,
        &["/home/", "/root/", "/usr/lib/", "/usr/bin/", "/var/lib/", "/etc/", "/proc/", "/lib/x86_64-linux-gnu"],
    ),
];

/// The platform that a text speaks of: none if it names none or two that cannot both be, and Linux if it names several
/// families of it.
pub fn platform_of(text: &str) -> Option<Platform> {
    let speaks = |(_, cues): &&(Platform, &[&str])| cues.iter().any(|cue| text.contains(cue));
    let mut named = CUES.iter().filter(speaks).map(|(platform, _)| *platform);
    let first = named.next()?;
    // Linux is the last of them, and what says Linux alone says no more than its family.
    named.try_fold(first, |known, next| match (known, next) {
        // A Mac has most of these paths too.
        (Platform::Macos, Platform::Linux) => Some(known),
        // A container that was built on a Mac, say.
        (Platform::Macos | Platform::Windows, _) => None,
        (_, Platform::Linux) => Some(known),
        _ => Some(Platform::Linux),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_its_platform() {
        for (text, platform) in [
            ("'gcc' is not recognized as an internal or external command", Some(Platform::Windows)),
            ("ld: library not found for -lssl\n/Users/ann/src", Some(Platform::Macos)),
            ("RUN apk add --no-cache gcc\n/usr/lib/x", Some(Platform::Alpine)),
            ("E: apt-get failed\ndnf said the same", Some(Platform::Linux)),
            ("/home/ann/a.c:1: error", Some(Platform::Linux)),
            // A container that is built on a Mac.
            ("/Users/ann/Dockerfile: RUN apt-get install gcc", None),
            ("gcc: command not found", None),
        ] {
            assert_eq!(platform_of(text), platform, "{text}");
        }
    }
}
