#!/usr/bin/env bash
# Tries a static program in a root that holds nothing but itself and three documents: read only but for its data,
# without a network, a home or /proc, as in the emptiest of container images. On Linux, as root.
#
#   packaging/empty_root.sh KEN HOME      HOME is a KEN_HOME with the model, and perhaps vectors of the packs
set -euo pipefail
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
ken=$(realpath "$1") home=$(realpath "$2")
cd "$(dirname "$0")/.."

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/data" "$root/docs"
cp "$ken" "$root/ken"
cp docs/flows.md docs/packs.md docs/retrieval.md "$root/docs"
for part in models vectors; do
    [ ! -d "$home/$part" ] || cp -RL "$home/$part" "$root/data"
done

# Runs the program there; $1 is a variable for it, or nothing.
inside() {
    local variables=($1)
    shift
    unshare --mount --net bash -ec '
        root=$1; shift
        mount --bind "$root" "$root"
        mount --bind "$root/data" "$root/data"
        mount -o remount,bind,ro "$root"
        exec "$@"' - "$root" env -i "${variables[@]}" "$(command -v chroot)" "$root" /ken "$@"
}
# What it says must hold $1.
says() {
    local wanted=$1 said
    shift
    said=$(inside "$@" 2>&1) || true
    grep -qF -- "$wanted" <<<"$said" || { printf 'WRONG: %s says no "%s":\n%s\n' "${*:2}" "$wanted" "$said"; exit 1; }
    echo "ok: ${*:2}"
}

says git-ssh/unrelated-histories "" lookup "fatal: refusing to merge unrelated histories"
says "files: 3 new" KEN_HOME=/data index /docs
says flows.md KEN_HOME=/data search "how does a log become a verdict"
says git-ssh/unrelated-histories KEN_HOME=/data lookup "git will not join branches that have nothing in common"
says "# Knowledge" KEN_HOME=/data pack --task "explain how a search is ordered" --budget 600
says "3, " KEN_HOME=/data status
says "Read-only file system" KEN_HOME=/docs remember "nothing can be kept here"
