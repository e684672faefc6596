//! Which variables a program is given.
//!
//! A list of what is kept, because what changes a program's ways cannot be listed: `PYTHON*`, `PIP_PYTHON`,
//! `PIP_TARGET`, `PIP_LOG`, `LD_*`, `PYENV_*`, `UV_*`, and what the next version brings. Kept is what a download needs:
//! who the user is, language, proxies, certificates, and where packages come from. An index or a mirror may be set: it
//! is the user's wish, and what it sends is compared with pinned hashes. A value that is a path counts only if it is
//! absolute and lies in no folder that others wrote: a relative one was meant for the working directory, and the
//! program works elsewhere.

use std::ffi::OsString;
use std::path::Path;

/// Kept as they are; names of proxies in either case.
const PLAIN: &[&str] = &[
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ", //
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_NO_INDEX",
    "PIP_TRUSTED_HOST",
    "PIP_PROXY", //
    "PIP_TIMEOUT",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_RETRIES",
    "PIP_NO_CACHE_DIR",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    // Without these nothing starts on Windows.
    "SystemRoot",
    "SYSTEMROOT",
    "SystemDrive",
    "windir",
    "PATHEXT",
    "ComSpec",
];

/// Kept if they name something that is nobody else's.
const PATHS: &[&str] = &[
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "NETRC", //
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE", //
    "PIP_CONFIG_FILE",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_CACHE_DIR",
];

/// The user's own, wherever they lie: nobody but the user sets them, and a home may hold the working directory.
const HOMES: &[&str] = &["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"];

/// Addresses and paths, divided by blanks.
const PLACES: &[&str] = &["PIP_FIND_LINKS"];

/// What is kept of the variables of this process.
pub(super) fn kept(
    variables: Vec<(OsString, OsString)>,
    is_foreign: &dyn Fn(&Path) -> bool,
) -> Vec<(OsString, OsString)> {
    let own = |path: &Path| path.is_absolute() && !is_foreign(path);
    let keep = |(name, value): (OsString, OsString)| {
        let known = name.to_str()?;
        let value = if PLAIN.contains(&known) || known.starts_with("LC_") {
            value
        } else if PATHS.contains(&known) {
            own(Path::new(&value)).then_some(value)?
        } else if HOMES.contains(&known) {
            Path::new(&value).is_absolute().then_some(value)?
        } else if PLACES.contains(&known) {
            let words = value.to_str()?.split_whitespace();
            let words: Vec<&str> = words.filter(|word| word.contains("://") || own(Path::new(word))).collect();
            words.join(" ").into()
        } else {
            return None;
        };
        (!value.is_empty()).then_some((name, value))
    };
    variables.into_iter().filter_map(keep).collect()
}
