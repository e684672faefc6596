#!/usr/bin/env bash
# Instructions that each kernel takes on ARM: what an emulator executes for a run, less what it executes without it.
#
#   benches/instructions.sh [KERNEL...]
#
# Needs aarch64-linux-gnu-gcc, qemu-aarch64 and the standard library of aarch64-unknown-linux-gnu (.ci/platforms gets
# them). Products are 48 rows x 384 inputs x 64 outputs, attention is one head of 32 over 64 tokens, codes are 64 rows
# of 384 bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu
export CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
bench=${BENCH:-$(cargo bench --bench kernels --target $target --no-run --message-format short 2>&1 |
    sed -n 's/.*Executable.*(\(.*\))$/\1/p')}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() { # INSTRUCTIONS KERNEL TIMES
    qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu -singlestep -d exec,nochain -D "$log" "$bench" count "$@"
    grep -c '^Trace' "$log"
}

[ $# -gt 0 ] || set -- int8 int8-gelu f32 quantise norm attention codes
for kernel in "$@"; do
    for instructions in neon dotprod i8mm; do
        once=$(run $instructions "$kernel" 1) twice=$(run $instructions "$kernel" 2)
        echo "$kernel $instructions $((twice - once))"
    done
done
