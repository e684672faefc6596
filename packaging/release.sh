#!/usr/bin/env bash
# Makes the files of a release: archive, Debian package, installer, Homebrew formula, checksums.
#
#   packaging/release.sh [--base-url URL] [VERSION] [OUT]
#
# VERSION must be the one of Cargo.toml, which is also the default. OUT is a folder, `target/dist` by default.
# URL is the folder from which people will download these files. The installer and the formula carry it. Without it the
# installer asks for it when it runs, and no formula is made.
#
# Settings, as environment variables:
#   KEN                a finished program to pack, in place of building one
#   KEN_TARGET         the target triple to build for, or of the finished program, if it is not this machine's
#   KEN_PAGES          a program of the same version that runs here; it prints manual pages and completions where the
#                      packed one cannot run
#   OBJDUMP            the program that reads what the packed one is linked to, `objdump` by default
#   KEN_MODEL          a file that `ken model bundle` wrote: the default model with its vectors of the packs. It becomes
#                      a file of the release, and install.sh takes it in when it is asked to
#   STRIP              the program that removes symbols, `strip` by default
#   KEN_MAINTAINER     "Name <address>" for the Debian package; the author of the last commit by default
#   KEN_QUICK          if set, compress for speed; for tests
#   SOURCE_DATE_EPOCH  time of all packed files; that of the last commit by default
#
# The same program and the same time give the same bytes: names are sorted, times and modes are set, owners are 0.
set -euo pipefail
# Other locales sort and print differently.
export LC_ALL=C
umask 022

say() { printf '%s\n' "$*" >&2; }
fail() { say "release.sh: $*"; exit 1; }

called_from=$PWD
cd "$(dirname "$0")/.."

base_url='' arguments=()
while [ $# -gt 0 ]; do
    case $1 in
    --base-url) [ $# -ge 2 ] || fail "--base-url needs an address"; base_url=${2%/}; shift 2 ;;
    -*) fail "unknown option $1; usage: release.sh [--base-url URL] [VERSION] [OUT]" ;;
    *) arguments+=("$1"); shift ;;
    esac
done
[ ${#arguments[@]} -le 2 ] || fail "too many arguments; usage: release.sh [--base-url URL] [VERSION] [OUT]"
# The address is written into programs, so nothing in it may mean something to a shell, to Ruby or to sed.
if [ -n "$base_url" ] && ! [[ $base_url =~ ^(https|http|file)://[A-Za-z0-9._~:/+-]+$ ]]; then
    fail "--base-url takes a plain https address, without a user, a query or escapes"
fi

manifest() { sed -n "/^\[package\]$/,/^\[/s/^$1 = \"\(.*\)\"$/\1/p" Cargo.toml; }
name=$(manifest name)
version=${arguments[0]:-$(manifest version)}
out=${arguments[1]:-target/dist}
case $out in /* | target/dist) ;; *) out=$called_from/$out ;; esac
[ "$version" = "$(manifest version)" ] || fail "this is version $(manifest version) by Cargo.toml, not $version"

repository=$(manifest repository)
if [ -z "$repository" ]; then
    say "warning: Cargo.toml has no 'repository'. Set it before you publish: cargo binstall looks for releases there."
elif [ -n "$base_url" ] && [ "$base_url" != "$repository/releases/download/v$version" ]; then
    say "warning: cargo binstall looks in $repository/releases/download/v$version, not in $base_url"
fi

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=$(stat -c %Y Cargo.toml)
fi
export SOURCE_DATE_EPOCH
if [ -n "${KEN_QUICK:-}" ]; then level=-1 deb_compression=(-Zgzip -z1); else level=-9 deb_compression=(-Zxz); fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Whatever the program reads or writes while it prints its pages, it is not what the user has.
export KEN_HOME=$work/home

# --- the program -----------------------------------------------------------------------------------------------------

if [ -z "${KEN:-}" ]; then
    cargo build --release --locked --bin ken ${KEN_TARGET:+--target "$KEN_TARGET"}
    KEN=${CARGO_TARGET_DIR:-target}/${KEN_TARGET:+$KEN_TARGET/}release/ken
    [ -e "$KEN" ] || KEN=$KEN.exe
else
    case $KEN in /*) ;; *) KEN=$called_from/$KEN ;; esac
fi
[ -x "$KEN" ] || fail "$KEN is not a program"
target=${KEN_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
deb_arch='' program=ken
case $target in
x86_64-unknown-linux-gnu) deb_arch=amd64 ;;
aarch64-unknown-linux-gnu) deb_arch=arm64 ;;
x86_64-unknown-linux-musl | aarch64-unknown-linux-musl | x86_64-apple-darwin | aarch64-apple-darwin) ;;
x86_64-pc-windows-*) program=ken.exe ;;
*) fail "no releases are made for '$target'" ;;
esac

package=$name-$version-$target
stage=$work/$package
mkdir -p "$stage/man" "$stage/completions" "$out"
out=$(cd "$out" && pwd)
install -m 755 "$KEN" "$stage/$program"
"${STRIP:-strip}" "$stage/$program"
ken=${KEN_PAGES:-$stage/$program}
case $ken in /*) ;; *) ken=$called_from/$ken ;; esac
[ "$("$ken" --version)" = "ken $version" ] || fail "$ken says it is '$("$ken" --version)', not 'ken $version'"

# --- what goes with it -----------------------------------------------------------------------------------------------

install -m 644 LICENSE-APACHE LICENSE-MIT README.md "$stage/"
python3 packaging/notices.py "$target" >"$stage/THIRD-PARTY-LICENSES.txt" || fail "the notices could not be made"
"$ken" man "$stage/man" >/dev/null || fail "'ken man DIR' failed: this program cannot write its manual pages"
[ -s "$stage/man/ken.1" ] || fail "'ken man DIR' wrote no ken.1"
# The names by which the shells find completions.
for shell_file in bash:ken.bash zsh:_ken fish:ken.fish elvish:ken.elv powershell:_ken.ps1; do
    "$ken" completions "${shell_file%%:*}" >"$stage/completions/${shell_file#*:}" ||
        fail "'ken completions ${shell_file%%:*}' failed"
    [ -s "$stage/completions/${shell_file#*:}" ] || fail "'ken completions ${shell_file%%:*}' printed nothing"
done

settle() { # FOLDER: the same modes whoever makes it
    find "$1" -type d -exec chmod 755 {} +
    find "$1" -type f ! -perm -u+x -exec chmod 644 {} +
    find "$1" -type f -perm -u+x -exec chmod 755 {} +
}

# --- the archive -----------------------------------------------------------------------------------------------------

settle "$stage"
if [ "$program" = ken.exe ]; then
    # What Windows opens without another program.
    archive=$package.zip
    rm -f "$out/$archive"
    find "$stage" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
    (cd "$work" && find "$package" -type f | sort | TZ=UTC zip -qX "$level" "$out/$archive" -@)
else
    archive=$package.tar.gz
    tar --create --directory "$work" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" \
        --owner=0 --group=0 --numeric-owner "$package" | gzip -n "$level" >"$out/$archive"
fi
made=("$archive")

# --- the model -------------------------------------------------------------------------------------------------------

# The same file for every target: whoever makes several releases into one folder makes it once.
model=''
if [ -n "${KEN_MODEL:-}" ]; then
    case $KEN_MODEL in /*) ;; *) KEN_MODEL=$called_from/$KEN_MODEL ;; esac
    model=$name-$version-model.ken
    install -m 644 "$KEN_MODEL" "$out/$model"
    made+=("$model")
fi

# --- the Debian package ----------------------------------------------------------------------------------------------

make_deb() {
    local objdump=${OBJDUMP:-objdump} root=$work/deb maintainer=${KEN_MAINTAINER:-} share doc glibc depends deb_version
    share=$root/usr/share
    doc=$share/doc/$name
    [ -n "$maintainer" ] || maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null) ||
        fail "a Debian package needs a maintainer: set KEN_MAINTAINER to 'Name <address>'"
    # In Debian a tilde sorts before the end, as a hyphen does in versions of Cargo.
    deb_version=${version/-/\~}-1

    install -D -m 755 "$stage/ken" "$root/usr/bin/ken"
    install -D -m 644 -t "$share/man/man1" "$stage"/man/*.1
    gzip -9n "$share"/man/man1/*.1
    install -D -m 644 "$stage/completions/ken.bash" "$share/bash-completion/completions/ken"
    install -D -m 644 "$stage/completions/_ken" "$share/zsh/vendor-completions/_ken"
    install -D -m 644 "$stage/completions/ken.fish" "$share/fish/vendor_completions.d/ken.fish"
    install -D -m 644 -t "$doc/completions" "$stage/completions/ken.elv" "$stage/completions/_ken.ps1"
    install -m 644 README.md "$stage/THIRD-PARTY-LICENSES.txt" "$doc/"
    gzip -9n "$doc/THIRD-PARTY-LICENSES.txt"
    gzip -9n <CHANGELOG.md >"$doc/changelog.gz"
    {
        printf '%s (%s) unstable; urgency=medium\n\n' "$name" "$deb_version"
        printf '  * Package of release %s; changelog.gz says what is new.\n\n' "$version"
        printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
    } | gzip -9n >"$doc/changelog.Debian.gz"
    copyright >"$doc/copyright"

    # What the program is linked to, and the newest version of glibc that it asks for.
    glibc=$("$objdump" -T "$stage/ken" | grep -o 'GLIBC_[0-9][0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1)
    [ -n "$glibc" ] || fail "the program asks for no version of glibc"
    depends="libc6 (>= $glibc)"
    # Not `grep -q`, which stops reading: then objdump fails at times, and with it the pipe.
    if "$objdump" -p "$stage/ken" | grep 'NEEDED *libgcc_s' >/dev/null; then depends="$depends, libgcc-s1 (>= 4.2)"; fi

    mkdir "$root/DEBIAN"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$name" "$deb_version" "$deb_arch"
        printf 'Maintainer: %s\nSection: utils\nPriority: optional\n' "$maintainer"
        printf 'Depends: %s\n' "$depends"
        # A model from the hub needs the certificates; one from a Python package needs pip.
        printf 'Recommends: ca-certificates\nSuggests: python3-pip\n'
        if [ -n "$repository" ]; then printf 'Homepage: %s\n' "$repository"; fi
        printf 'Installed-Size: %s\n' "$(du -k -s --apparent-size "$root/usr" | cut -f 1)"
        cat <<'TEXT'
Description: search engine for known errors and your own documents
 Give the program ken an error message or a log, and it answers with the known
 cause and fix, or with nothing. Packs with known errors are built in.
 .
 It also indexes documents and source code on your machine, searches them by
 meaning and by words, and packs what matters for a task into a prompt.
 .
 There is no account and no key. Only pulling a model uses the network.
TEXT
    } >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
    settle "$root"
    dpkg-deb --root-owner-group "${deb_compression[@]}" --build "$root" "$out/${name}_${deb_version}_$deb_arch.deb" >&2
    made+=("${name}_${deb_version}_$deb_arch.deb")
}

copyright() {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: %s\n' "$name"
    if [ -n "$repository" ]; then printf 'Source: %s\n' "$repository"; fi
    cat <<'TEXT'
Comment:
 The program contains libraries of others. THIRD-PARTY-LICENSES.txt.gz beside
 this file names each with its licence.

TEXT
    printf 'Files: *\nCopyright: %s\nLicense: MIT or Apache-2.0\n\nLicense: MIT\n' \
        "$(sed -n 's/^Copyright (c) //p' LICENSE-MIT)"
    sed '1,/^Copyright/d' LICENSE-MIT | sed '/./,$!d; s/^$/./; s/^/ /'
    cat <<'TEXT'

License: Apache-2.0
 On Debian systems the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
TEXT
}

if [ -z "$deb_arch" ]; then
    say "no Debian package for $target"
elif command -v dpkg-deb >/dev/null; then
    make_deb
else
    say "dpkg-deb is missing: no Debian package is made"
fi

# --- installer, formula, checksums -----------------------------------------------------------------------------------

# What other targets of this version left in the same folder belongs to the release as well.
sums=$(cd "$out" && for file in "$name-$version"-*; do sha256sum "$file"; done)
sha256=$(sha256sum "$out/$archive" | cut -d ' ' -f 1)
sed -e "s|^release_url=''\$|release_url='$base_url'|" \
    -e "s|^release_sums=''\$|release_sums='$(awk '{ printf "%s %s;", $1, $2 }' <<<"$sums")'|" \
    packaging/install.sh >"$out/install.sh"
for line in "release_url='$base_url'" "release_sums='$(awk '{ printf "%s %s;", $1, $2 }' <<<"$sums")'"; do
    grep -qxF "$line" "$out/install.sh" || fail "packaging/install.sh has no place for $line"
done
chmod 755 "$out/install.sh"
made+=(install.sh)

if [ "$target" != x86_64-unknown-linux-gnu ]; then
    say "the Homebrew formula is for Linux on x86-64 and not made for $target"
elif [ -n "$base_url" ]; then
    home_page=${repository:-${base_url%/releases/download/*}}
    sed -e "s|@HOMEPAGE@|$home_page|" -e "s|@URL@|$base_url/$archive|" -e "s|@SHA256@|$sha256|" \
        -e "s|@VERSION@|$version|" packaging/kenning.rb >"$out/kenning.rb"
    if grep -n '@[A-Z0-9]*@' "$out/kenning.rb"; then fail "packaging/kenning.rb asks for something unknown"; fi
    made+=(kenning.rb)
else
    say "no --base-url: the installer asks for the address, and there is no Homebrew formula"
fi

(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum >SHA256SUMS)
say "in $out:"
(cd "$out" && ls -l "${made[@]}" SHA256SUMS) | awk '{ print "  " $5 "\t" $NF }' >&2
