#!/bin/sh
# Installs ken from a release, for one user: program, manual pages and completions.
#
#   sh install.sh
#
# It gets the archive for this machine and SHA256SUMS, and unpacks nothing unless the checksum holds. The copy of this
# script in a release also carries the address of that release and the checksums of its files.
#
# Settings, as environment variables:
#   KEN_RELEASES   address of the folder that holds SHA256SUMS: https://, file://, or http:// on this machine
#   KEN_INSTALL    absolute path to install into, ~/.local by default
#   KEN_WITH_MODEL if set, also gets the model of the release, with the finished vectors of the packs, and takes it in
#
# All work is in functions, and the last line calls the first of them: half a download does nothing.
set -eu

# A release fills in these two (packaging/release.sh): its address, and "SHA256 NAME;" for each of its files. Without
# them checksums are those of SHA256SUMS alone.
release_url=''
release_sums=''

main() {
    [ $# -eq 0 ] || fail "no arguments are taken; settings are environment variables (KEN_RELEASES, KEN_INSTALL)"
    target=$(detect)
    releases=${KEN_RELEASES:-$release_url}
    releases=${releases%/}
    [ -n "$releases" ] || fail "set KEN_RELEASES to the address of a release, the folder that holds SHA256SUMS"
    check_address
    if [ -n "${KEN_INSTALL:-}" ]; then
        prefix=${KEN_INSTALL%/}
    else
        [ -n "${HOME:-}" ] || fail "there is no home directory: set KEN_INSTALL to a path"
        prefix=$HOME/.local
    fi
    case $prefix in /*) ;; *) fail "KEN_INSTALL is not an absolute path: $prefix" ;; esac

    work=$(mktemp -d)
    new_program=''
    trap 'rm -rf "$work"; [ -z "$new_program" ] || rm -f "$new_program"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP

    get_archive
    tar -xzf "$work/$archive" -C "$work" || fail "$archive cannot be unpacked"
    unpacked=$work/${archive%.tar.gz}
    [ -f "$unpacked/ken" ] || fail "$archive holds no ken"
    if [ -n "${KEN_WITH_MODEL:-}" ]; then get_listed "-model.ken" "model"; fi
    install_files
    if [ -n "${KEN_WITH_MODEL:-}" ]; then
        "$prefix/bin/ken" model import "$work/$listed_name" || say "ken is installed, its model is not"
    fi
    report
}

say() { printf '%s\n' "$*"; }

fail() {
    printf 'install.sh: %s\nNothing was installed.\n' "$*" >&2
    exit 1
}

# The target triple of this machine.
detect() {
    system=$(uname -s)
    machine=$(uname -m)
    case $system-$machine in
    Linux-x86_64 | Linux-amd64) say "x86_64-unknown-linux-$(c_library)" ;;
    Linux-aarch64 | Linux-arm64) say "aarch64-unknown-linux-$(c_library)" ;;
    Darwin-x86_64) say x86_64-apple-darwin ;;
    Darwin-arm64) say aarch64-apple-darwin ;;
    *) fail "there are no releases for $system on $machine; ken can be built from source" ;;
    esac
}

# The program for musl is static and needs no C library of the machine's.
c_library() {
    case $(ldd --version 2>&1 || :) in
    *[Mm]usl*) say musl ;;
    *) say gnu ;;
    esac
}

# Over plain http anybody on the way could change what is sent, so only this machine may speak it.
check_address() {
    case $releases in
    *@*) fail "the address has a user in it: $releases" ;;
    https://* | file:///*) ;;
    http://127.0.0.1:* | http://127.0.0.1/* | http://localhost:* | http://localhost/*) ;;
    *) fail "this is no https:// or file:// address: $releases" ;;
    esac
}

# get URL FILE
get() {
    case $1 in
    file://*) cp "${1#file://}" "$2" || fail "$1 cannot be read" ;;
    *)
        if command -v curl >/dev/null 2>&1; then
            # A redirect may not leave https either.
            case $1 in https://*) scheme='=https' ;; *) scheme='=http' ;; esac
            curl -fsSL --proto "$scheme" -o "$2" "$1" || fail "$1 cannot be downloaded"
        elif command -v wget >/dev/null 2>&1; then
            wget -q -O "$2" "$1" || fail "$1 cannot be downloaded"
        else
            fail "curl or wget is needed"
        fi
        ;;
    esac
}

# The SHA-256 of a file.
sha256() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    else
        fail "sha256sum or shasum is needed to verify the download"
    fi
}

# Leaves the verified archive in $work, and its name in $archive.
get_archive() {
    get "$releases/SHA256SUMS" "$work/SHA256SUMS"
    get_listed "-$target.tar.gz" "archive for $target"
    archive=$listed_name
}

# get_listed END WHAT: the one file of the release whose name ends so, into $work; its name in $listed_name.
get_listed() {
    # One line, a checksum, and a plain file name: the name becomes a path below.
    listed=$(awk -v end="$1" '
        NF == 2 && length($1) == 64 && $1 !~ /[^0-9a-f]/ && $2 ~ /^kenning-[0-9][0-9A-Za-z._+-]*$/ &&
        substr($2, length($2) - length(end) + 1) == end { print }' "$work/SHA256SUMS")
    case $listed in
    '') fail "SHA256SUMS lists no $2" ;;
    *"
"*) fail "SHA256SUMS lists more than one $2" ;;
    esac
    expected=${listed%% *}
    listed_name=${listed##* }
    case ";$release_sums" in
    ';' | *";$expected $listed_name;"*) ;;
    *) fail "SHA256SUMS is not that of the release this script belongs to ($listed_name)" ;;
    esac
    say "Getting $releases/$listed_name"
    get "$releases/$listed_name" "$work/$listed_name"
    actual=$(sha256 "$work/$listed_name")
    [ "$actual" = "$expected" ] || fail "the checksum of $listed_name is $actual, and not $expected as it should be"
    say "The checksum holds: $actual"
}

# put FILE FOLDER [NAME]
put() {
    mkdir -p "$2"
    cp "$1" "$2/${3:-}"
    chmod 644 "$2/${3:-${1##*/}}"
}

# The program is put in place last and in one step, so that an update that breaks off leaves the old one.
install_files() {
    mkdir -p "$prefix/bin" || fail "$prefix/bin cannot be made"
    new_program=$prefix/bin/.ken.$$
    cp "$unpacked/ken" "$new_program" || fail "$prefix/bin cannot be written to"
    chmod 755 "$new_program"
    version=$("$new_program" --version) ||
        fail "ken does not run on this machine; the reason is often a C library that is older than ken expects"
    share=$prefix/share
    for page in "$unpacked"/man/*.1; do put "$page" "$share/man/man1"; done
    put "$unpacked/completions/ken.bash" "$share/bash-completion/completions" ken
    put "$unpacked/completions/_ken" "$share/zsh/site-functions" _ken
    put "$unpacked/completions/ken.fish" "$share/fish/vendor_completions.d" ken.fish
    for file in ken.elv _ken.ps1; do put "$unpacked/completions/$file" "$share/doc/kenning/completions"; done
    for file in README.md LICENSE-APACHE LICENSE-MIT THIRD-PARTY-LICENSES.txt; do
        put "$unpacked/$file" "$share/doc/kenning"
    done
    mv -f "$new_program" "$prefix/bin/ken"
    new_program=''
}

report() {
    say "Installed $version as $prefix/bin/ken"
    say "  manual pages  $share/man/man1"
    say "  completions   bash: $share/bash-completion/completions"
    say "                fish: $share/fish/vendor_completions.d"
    say "                zsh:  $share/zsh/site-functions (add it to fpath before compinit)"
    say "                elvish, PowerShell: $share/doc/kenning/completions (load them in your profile)"
    case :${PATH:-}: in
    *:"$prefix/bin":*)
        first=$(command -v ken || :)
        if [ "$first" != "$prefix/bin/ken" ]; then say "Another ken comes first on your PATH: $first"; fi
        ;;
    *)
        say "Your PATH lacks $prefix/bin. Add this line to your shell's profile:"
        say "  export PATH=\"$prefix/bin:\$PATH\""
        ;;
    esac
    say "Try: ken lookup \"fatal: refusing to merge unrelated histories\""
}

# The braces make a line that is cut off a fault of syntax.
{ main "$@"; }
