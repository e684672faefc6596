//! Operating systems and families of Linux, as far as commands differ between them.

use serde::{Deserialize, Serialize};

/// Where a command is to be typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// Windows.
    Windows,
    /// macOS.
    Macos,
    /// Any Linux.
    Linux,
    /// Debian, Ubuntu and what is made of them: `apt`.
    Debian,
    /// Fedora, Red Hat and what is made of them: `dnf`, `yum`.
    Fedora,
    /// Alpine: `apk`.
    Alpine,
    /// Arch: `pacman`.
    Arch,
}

impl Platform {
    /// As it stands before a step.
    pub fn label(self) -> &'static str {
        match self {
            Self::Windows => "Windows",
            Self::Macos => "macOS",
            Self::Linux => "Linux",
            Self::Debian => "Debian, Ubuntu",
            Self::Fedora => "Fedora, RHEL",
            Self::Alpine => "Alpine",
            Self::Arch => "Arch",
        }
    }

    /// Whether it is some Linux.
    pub fn is_linux(self) -> bool {
        !matches!(self, Self::Windows | Self::Macos)
    }

    /// Whether a step that is for `other` may be of use here: what is only known to be Linux may be any of them.
    pub fn may_be(self, other: Self) -> bool {
        self == other || (self.is_linux() && other.is_linux() && (self == Self::Linux || other == Self::Linux))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linux_may_be_any_linux() {
        use Platform::{Alpine, Debian, Linux, Macos, Windows};
        assert!(Linux.may_be(Alpine) && Alpine.may_be(Linux) && Debian.may_be(Debian));
        assert!(!Alpine.may_be(Debian) && !Windows.may_be(Linux) && !Linux.may_be(Macos));
    }
}
