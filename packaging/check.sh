#!/usr/bin/env bash
# Tries out what release.sh makes: installs it from a server on this machine, tampers with it, unpacks the Debian
# package, and looks whether the packed crate has every file that its sources include.
#
#   KEN=target/release/ken packaging/check.sh
#
# Writes to a temporary folder only. Needs python3 and no network, once cargo has downloaded the crates.
set -euo pipefail
export LC_ALL=C

[ -x "${KEN:-}" ] || { echo "check.sh: set KEN to a program" >&2; exit 2; }
KEN=$(realpath "$KEN")
export KEN
cd "$(dirname "$0")/.."

# The home is another one from here on. The toolchain stays where it is.
export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
work=$(mktemp -d)
server=''
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
export HOME=$work/home
mkdir "$HOME"
unset KEN_RELEASES KEN_INSTALL KEN_HOME KEN_TARGET XDG_DATA_HOME http_proxy HTTP_PROXY all_proxy ALL_PROXY
export KEN_MAINTAINER="Check <check@localhost>" KEN_QUICK=1 SOURCE_DATE_EPOCH=1700000000

ok() { printf 'ok: %s\n' "$*"; }
wrong() { printf 'WRONG: %s\n' "$*" >&2; exit 1; }

# installs WHAT INSTALLER [NAME=VALUE...]: it must succeed.
installs() {
    local what=$1 installer=$2
    shift 2
    env "$@" sh "$installer" >"$work/said" 2>&1 || { cat "$work/said" >&2; wrong "$what"; }
    ok "$what"
}

# refuses WHAT WORDS INSTALLER [NAME=VALUE...]: it must fail with these words, and leave nothing.
refuses() {
    local what=$1 words=$2 installer=$3 empty=$work/refused
    shift 3
    rm -rf "$empty"
    if env KEN_INSTALL="$empty" "$@" sh "$installer" >"$work/said" 2>&1; then wrong "$what was installed"; fi
    grep -qF -- "$words" "$work/said" || { cat "$work/said" >&2; wrong "$what: the reason is not '$words'"; }
    if [ -n "$(find "$empty" -type f 2>/dev/null)" ]; then wrong "$what left files"; fi
    ok "$what is refused: $words"
}

# --- a release, twice -------------------------------------------------------------------------------------------------

mkdir "$work/www"
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work/www" >"$work/server" 2>&1 &
server=$!
port=''
for _ in $(seq 100); do
    port=$(sed -n 's/^Serving HTTP on .* port \([0-9]*\) .*/\1/p' "$work/server")
    if [ -n "$port" ]; then break; fi
    sleep 0.1
done
[ -n "$port" ] || { cat "$work/server" >&2; wrong "the server does not start"; }
address=http://127.0.0.1:$port

packaging/release.sh --base-url "$address/release" "" "$work/www/release" 2>"$work/said" ||
    { cat "$work/said" >&2; wrong "release.sh fails"; }
(umask 077 && packaging/release.sh --base-url "$address/release" "" "$work/again" 2>/dev/null)
release=$work/www/release
cmp "$release/SHA256SUMS" "$work/again/SHA256SUMS" || wrong "the same program gives other bytes"
(cd "$release" && sha256sum --check --strict --quiet SHA256SUMS) || wrong "the checksums are not those of the files"
ok "two runs give the same bytes"
rm -r "$work/again"

archive=$(cd "$release" && ls kenning-*.tar.gz)
folder=${archive%.tar.gz}
tar -tzf "$release/$archive" >"$work/names"
for name in ken LICENSE-APACHE LICENSE-MIT THIRD-PARTY-LICENSES.txt README.md man/ken.1 man/ken-lookup.1 \
    completions/ken.bash completions/_ken completions/ken.fish completions/ken.elv completions/_ken.ps1; do
    grep -qxF "$folder/$name" "$work/names" || wrong "the archive lacks $name"
done
sort -c "$work/names" || wrong "the names in the archive are not sorted"
tar --numeric-owner -tvzf "$release/$archive" | awk '$2 != "0/0" { exit 1 }' || wrong "an owner in the archive is not 0"
ok "the archive has what it should have"

# --- installing -------------------------------------------------------------------------------------------------------

installs "the published installer, without settings" "$release/install.sh"
grep -qF "Your PATH lacks $HOME/.local/bin" "$work/said" || wrong "nothing is said about the PATH"
for name in bin/ken share/man/man1/ken.1 share/man/man1/ken-lookup.1 share/bash-completion/completions/ken \
    share/zsh/site-functions/_ken share/fish/vendor_completions.d/ken.fish share/doc/kenning/LICENSE-MIT; do
    [ -s "$HOME/.local/$name" ] || wrong "$name is not installed"
done
KEN_HOME=$work/ken "$HOME/.local/bin/ken" lookup "fatal: refusing to merge unrelated histories" >"$work/said" ||
    wrong "the installed ken does not answer"
grep -qF git-ssh/unrelated-histories "$work/said" || wrong "the installed ken answers something else"
ok "the installed ken answers"

installs "an update in place" "$release/install.sh" PATH="$HOME/.local/bin:$PATH"
if grep -qF PATH "$work/said"; then wrong "the PATH is right, and something is said about it"; fi
installs "the script of the sources, over file://" packaging/install.sh \
    KEN_RELEASES="file://$release" KEN_INSTALL="$work/by file"
[ -x "$work/by file/bin/ken" ] || wrong "KEN_INSTALL is not followed"
sh <"$release/install.sh" >/dev/null || wrong "the installer does not run from a pipe"
ok "from a pipe"

# All that the installer calls, without curl.
mkdir "$work/bare"
for tool in sh env uname mktemp awk tar gzip sha256sum cut cp chmod mkdir mv rm cat wget; do
    if command -v "$tool" >/dev/null; then ln -s "$(command -v "$tool")" "$work/bare/$tool"; fi
done
if [ -e "$work/bare/wget" ]; then
    installs "with wget, without curl" "$release/install.sh" PATH="$work/bare" KEN_INSTALL="$work/by-wget"
    rm "$work/bare/wget"
else
    echo "not tried, there is no wget: installing without curl"
fi
refuses "a machine without curl and wget" "curl or wget is needed" "$release/install.sh" PATH="$work/bare"

# A model that is none: ken must be there, and the reason must be said.
printf 'no model\n' >"$work/model"
KEN_MODEL=$work/model packaging/release.sh --base-url "$address/model" "" "$work/www/model" 2>"$work/said" ||
    { cat "$work/said" >&2; wrong "release.sh fails with a model"; }
installs "a release with a model" "$work/www/model/install.sh" KEN_INSTALL="$work/plain"
if grep -qF model.ken "$work/said"; then wrong "the model was downloaded, and nobody asked for it"; fi
installs "its model, on request" "$work/www/model/install.sh" \
    KEN_INSTALL="$work/with" KEN_WITH_MODEL=1 KEN_HOME="$work/k"
grep -qF "ken is installed, its model is not" "$work/said" || wrong "a broken model was taken in"
refuses "a model where the release has none" "lists no model" "$release/install.sh" KEN_WITH_MODEL=1

# --- refusing ---------------------------------------------------------------------------------------------------------

# tampered NAME: a copy of the release that can be changed; prints its address.
tampered() {
    mkdir "$work/www/$1"
    cp "$release/$archive" "$release/SHA256SUMS" "$work/www/$1/"
}
relist() { (cd "$work/www/$1" && sha256sum "$archive" >SHA256SUMS); }

tampered byte
python3 - "$work/www/byte/$archive" <<'CODE'
import sys
with open(sys.argv[1], "r+b") as file:
    middle = file.seek(0, 2) // 2
    file.seek(middle)
    byte = file.read(1)[0]
    file.seek(middle)
    file.write(bytes([byte ^ 1]))
CODE
refuses "an archive with another bit" "the checksum of $archive is" "$release/install.sh" \
    KEN_RELEASES="$address/byte"
refuses "an archive with another bit, by the script of the sources" "the checksum of $archive is" \
    packaging/install.sh KEN_RELEASES="$address/byte"
relist byte
refuses "an archive and SHA256SUMS that were both changed" "SHA256SUMS is not that of the release" \
    "$release/install.sh" KEN_RELEASES="$address/byte"

tampered half
truncate -s $(($(stat -c %s "$release/$archive") / 2)) "$work/www/half/$archive"
refuses "half an archive" "the checksum of $archive is" packaging/install.sh KEN_RELEASES="$address/half"

tampered sums
python3 - "$work/www/sums/SHA256SUMS" <<'CODE'
import sys
with open(sys.argv[1], "r+") as file:
    lines = [("1" if line[0] == "0" else "0") + line[1:] for line in file]
    file.seek(0)
    file.writelines(lines)
CODE
refuses "SHA256SUMS with another digit" "SHA256SUMS is not that of the release" "$release/install.sh" \
    KEN_RELEASES="$address/sums"
refuses "SHA256SUMS with another digit, by the script of the sources" "the checksum of $archive is" \
    packaging/install.sh KEN_RELEASES="$address/sums"
printf '%064d  ../%s\n' 0 "$archive" >"$work/www/sums/SHA256SUMS"
refuses "a path in SHA256SUMS" "lists no archive" packaging/install.sh KEN_RELEASES="$address/sums"
printf '%064d  %s\n%064d  %s\n' 0 "$archive" 1 "$archive" >"$work/www/sums/SHA256SUMS"
refuses "an archive that is listed twice" "more than one" packaging/install.sh KEN_RELEASES="$address/sums"
refuses "a release that is not there" "cannot be downloaded" packaging/install.sh KEN_RELEASES="$address/none"
refuses "a script without an address" "set KEN_RELEASES" packaging/install.sh
refuses "plain http to another machine" "no https://" packaging/install.sh KEN_RELEASES=http://releases.example/1
refuses "an address that hides another" "has a user" packaging/install.sh KEN_RELEASES=http://127.0.0.1:1@evil.example
refuses "a relative path" "not an absolute path" "$release/install.sh" KEN_INSTALL=here

mkdir "$work/other"
while IFS=: read -r machine reason; do
    # shellcheck disable=SC2016 # it is the script that is written here which expands $1
    printf '#!/bin/sh\n[ "$1" = -s ] && echo %s || echo %s\n' "${machine% *}" "${machine#* }" >"$work/other/uname"
    chmod +x "$work/other/uname"
    refuses "$machine" "$reason" "$release/install.sh" PATH="$work/other:$PATH"
done <<'MACHINES'
Linux aarch64:lists no archive for aarch64-unknown-linux-
Darwin arm64:lists no archive for aarch64-apple-darwin
FreeBSD amd64:there are no releases for FreeBSD on amd64
MACHINES

# A program that cannot run must not replace one that can.
mkdir -p "$work/www/broken"
tar -xzf "$release/$archive" -C "$work/www/broken"
printf '#!/bin/sh\nexit 127\n' >"$work/www/broken/$folder/ken"
tar -czf "$work/www/broken/$archive" -C "$work/www/broken" "$folder"
relist broken
refuses "a program that does not run" "does not run on this machine" packaging/install.sh \
    KEN_RELEASES="$address/broken"
if KEN_RELEASES="$address/broken" sh packaging/install.sh >/dev/null 2>&1; then wrong "it was installed"; fi
"$HOME/.local/bin/ken" --version >/dev/null || wrong "a failed update took the old program away"
if [ -n "$(find "$HOME/.local/bin" -name '.ken*')" ]; then wrong "a failed update left a file"; fi
ok "a failed update leaves the old program"

size=$(stat -c %s "$release/install.sh")
for part in 5 10 20 30 40 50 60 70 80 90 95 98 99; do
    head -c $((size * part / 100)) "$release/install.sh" >"$work/part.sh"
    KEN_INSTALL=$work/parts sh <"$work/part.sh" >/dev/null 2>&1 || true
    [ ! -e "$work/parts" ] || wrong "$part % of the installer did something"
done
for missing in 2 4 6 8 10 12; do
    head -c -$missing "$release/install.sh" >"$work/part.sh"
    KEN_INSTALL=$work/parts sh <"$work/part.sh" >/dev/null 2>&1 || true
    [ ! -e "$work/parts" ] || wrong "the installer without its last $missing bytes did something"
done
ok "parts of the installer do nothing"

# --- Debian package ---------------------------------------------------------------------------------------------------

if command -v dpkg-deb >/dev/null; then
    deb=$(ls "$release"/*.deb)
    dpkg-deb -I "$deb" >"$work/said"
    for field in "Package: kenning" "Architecture: amd64" "Section: utils" "Depends: libc6 (>= 2\." "Description: "; do
        grep -q "^ $field" "$work/said" || { cat "$work/said" >&2; wrong "the package lacks $field"; }
    done
    dpkg-deb -c "$deb" | awk '$2 != "root/root" { exit 1 }' || wrong "an owner in the package is not root"
    dpkg-deb -x "$deb" "$work/deb"
    dpkg-deb -e "$deb" "$work/deb/DEBIAN"
    (cd "$work/deb" && md5sum --check --strict --quiet DEBIAN/md5sums) || wrong "md5sums of the package"
    for name in man/man1/ken.1.gz bash-completion/completions/ken zsh/vendor-completions/_ken \
        fish/vendor_completions.d/ken.fish doc/kenning/copyright doc/kenning/changelog.gz \
        doc/kenning/changelog.Debian.gz doc/kenning/THIRD-PARTY-LICENSES.txt.gz; do
        [ -s "$work/deb/usr/share/$name" ] || wrong "the package lacks $name"
    done
    [ "$("$work/deb/usr/bin/ken" --version)" = "$("$KEN" --version)" ] || wrong "the program of the package"
    ok "the Debian package unpacks and its program runs"
else
    echo "not tried, there is no dpkg-deb: the Debian package"
fi

# --- Homebrew formula -------------------------------------------------------------------------------------------------

grep -qF "url \"$address/release/$archive\"" "$release/kenning.rb" || wrong "the formula's address"
grep -qF "sha256 \"$(sha256sum <"$release/$archive" | cut -d ' ' -f 1)\"" "$release/kenning.rb" || wrong "its checksum"
for name in $(grep -o 'install .*' "$release/kenning.rb" | sed 's/ => .*//' | grep -o '"[^"*]*"' | tr -d '"'); do
    grep -qxF "$folder/$name" "$work/names" || wrong "the formula installs $name, which the archive lacks"
done
if command -v ruby >/dev/null; then ruby -wc "$release/kenning.rb" >/dev/null || wrong "the formula's syntax"; fi
ok "the formula names the files of the archive"

# --- the crate --------------------------------------------------------------------------------------------------------

cargo package --no-verify --allow-dirty --quiet --target-dir "$work/crate" 2>"$work/said" ||
    { cat "$work/said" >&2; wrong "cargo package fails"; }
# One warning is known: there is no repository, homepage or documentation to name.
if grep '^warning' "$work/said" | grep -v 'no documentation, homepage or repository'; then
    wrong "cargo package warns"
fi
crate=$(ls "$work"/crate/package/*.crate)
tar -xzf "$crate" -C "$work/crate"
python3 - "$work/crate/$(basename "$crate" .crate)" "$PWD" <<'CODE' || wrong "the crate lacks files"
import re, sys
from pathlib import Path

crate, sources = map(Path, sys.argv[1:])
lacking = set()
files = [crate / "build.rs", *crate.glob("src/**/*.rs"), *crate.glob("benches/*.rs")]
for file in files:
    text = file.read_text()
    named = re.findall(r'include(?:_str|_bytes)?!\(\s*"([^"]+)"\s*\)', text)
    named += re.findall(r'#\[path = "([^"]+)"\]', text)
    lacking |= {(file.parent / name).resolve() for name in named if not (file.parent / name).exists()}
    own = re.findall(r'concat!\(\s*env!\("CARGO_MANIFEST_DIR"\),\s*"/([^"]+)"\s*\)', text)
    lacking |= {crate / name for name in own if not (crate / name).exists()}
# What is found by listing a folder, or by a macro.
for folder in ["canon", "models", "index", "src", "tests"]:
    for file in (sources / folder).rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts and not (crate / file.relative_to(sources)).exists():
            lacking.add(file)
assert len(files) > 300, f"only {len(files)} sources were read"
for file in sorted(lacking):
    print(f"not in the crate: {file}", file=sys.stderr)
sys.exit(bool(lacking))
CODE
for name in .ci .github packaging benches/peers; do
    [ ! -e "$work/crate/$(basename "$crate" .crate)/$name" ] || wrong "the crate holds $name"
done
size=$(stat -c %s "$crate")
[ "$size" -lt 10000000 ] || wrong "the crate has $size bytes; the registry takes 10 MB"
ok "the crate has what its sources include, $size bytes"
echo "packaging: everything holds"
