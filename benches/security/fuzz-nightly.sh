#!/bin/sh
# Fuzzes every reader of foreign bytes with a fresh random seed: ten CPU-minutes for each target, on one core one after
# another (38 targets: about six and a half hours), as many at once as the first argument says.
#
#   benches/security/fuzz-nightly.sh [AT_ONCE] [TARGET ...]
#
# Takes the time for each target from KEN_FUZZ_SECONDS and the seed from KEN_FUZZ_SEED, where they are set. Prints the
# seed, so that a run can be repeated, and for each target how many inputs were read and how many sorts of answers came.
# Failures lie in target/fuzz-failures/: the input (.bin), and what happened with it (.txt). An input that broke a reader
# goes to tests/fuzz/corpus/TARGET/regressions/ together with the mend. Exit code 0: no failure; 1: at least one.
#
# Arithmetic is checked for overflow, which a release build does not do.
set -eu
cd "$(dirname "$0")/../.."

at_once=${1:-1}
[ $# -gt 0 ] && shift
seconds=${KEN_FUZZ_SECONDS:-600}
seed=${KEN_FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
echo "seed $seed, $seconds CPU seconds for each target, $at_once at once"

binary=$(CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true cargo test --release --test it --no-run --message-format json |
    sed -n 's/.*"executable":"\([^"]*\/it-[^"]*\)".*/\1/p' | tail -n 1)
if [ $# -eq 0 ]; then
    # The table of targets is the one list of their names.
    set -- $(sed -n 's/.*name: "\([a-z-][a-z-]*\)".*/\1/p; s/.*= markup("\([a-z]*\)".*/\1/p' tests/fuzz/targets/*.rs |
        grep -v '^planted' | sort -u)
fi
printf '%s\n' "$@" | KEN_FUZZ_SECONDS=$seconds KEN_FUZZ_SEED=$seed xargs -P "$at_once" -I TARGET sh -c '
    log=$(KEN_FUZZ_TARGETS=TARGET "$0" --exact fuzz::parent::readers_withstand_hostile_bytes --nocapture 2>&1) && code=0 || code=1
    printf "%s\n" "$log" | grep -E "fuzzed|FAILED|target TARGET," || printf "TARGET: %s\n" "$log"
    exit $code' "$binary" && echo "no failure" && exit 0
echo "failures: target/fuzz-failures/"
exit 1
