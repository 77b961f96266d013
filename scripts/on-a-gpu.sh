#!/bin/sh
# What is measured on a machine with a GPU: which of the five programs' bugs are found there, what the checker costs, and whether
# outputs equal the simulator's. Prints tables in Markdown. Needs lockstep and lockstep-device on the path, or in target/release.
#
#   scripts/on-a-gpu.sh [sm_NN] > table.md
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
PATH="${CARGO_TARGET_DIR:-$root/target}/release:$PATH"
arch=${1:-sm_90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build OPTIONS…: an archive of $file in $work/a.lsd
build() { lockstep device build "$file" -o "$work/a.lsd" --arch "$arch" "$@" > "$work/built" 2> "$work/err"; }
# launch WORDS: runs it; leaves the exit status in $status and what was said in $work/out and $work/err
launch() {
    eval "lockstep-device run $work/a.lsd --format concise $1" > "$work/out" 2> "$work/err"
    status=$?
}
# The launch of a program's revision without --kernel, and the words of --kernel.
words_of() { sed -n "s|^// launch\[$1\]: ||p" "$file"; }
kernel_of() { words_of "$1" | sed -n 's/.*\(--kernel [^ ]*\).*/\1/p'; }
launch_of() { words_of "$1" | sed 's/--kernel [^ ]*//'; }
milliseconds() { sed -n 's/.*: \([0-9.]*\) ms, with the checker \([0-9.]*\) ms.*/\1 \2/p' "$work/err"; }
reason() { sed -n 's/^error: //p' "$work/err" | head -1; }

echo "On $(date -u +%Y-%m-%d), $arch."
echo
echo "| program | inputs | checked | found | findings |"
echo "|---|---|---|---|---|"
for file in "$root"/crates/device/programs/*.cu; do
    name=$(basename "$file" .cu)
    for revision in bug normal; do
        if ! build $(kernel_of $revision); then
            echo "| $name | $revision | | not built: $(reason) | |"
            continue
        fi
        by=GPU
        checked=$(sed -n 's/ checked.*//p' "$work/built" | head -1)
        launch "$(launch_of $revision)"
        found=$(grep -c 'data-race' "$work/out")
        if grep -q '^race without running' "$work/built"; then by="GPU, and by the proof"; fi
        case $status in
            0 | 3) echo "| $name | $revision | $checked | no | |" ;;
            1) echo "| $name | $revision | $checked | by the $by | $found |" ;;
            *) echo "| $name | $revision | $checked | not run: $(reason) | |" ;;
        esac
    done
done
echo
echo "| program | memory | pruned | native (ms) | with the checker (ms) | times |"
echo "|---|---|---|---|---|---|"
for file in "$root"/crates/device/programs/*.cu; do
    for memory in shared all; do
        for prune in "" --no-prune; do
            name=$(basename "$file" .cu)
            pruned=yes
            [ -z "$prune" ] || pruned=no
            build $(kernel_of normal) --memory $memory $prune || continue
            launch "$(launch_of normal)"
            measured=$(milliseconds)
            if [ -z "$measured" ]; then
                echo "| $name | $memory | $pruned | not run: $(reason) | | |"
            else
                echo "$measured" | awk -v n="$name" -v m=$memory -v p=$pruned \
                    '{ printf "| %s | %s | %s | %s | %s | %.2f |\n", n, m, p, $1, $2, ($1 > 0 ? $2 / $1 : 0) }'
            fi
        done
    done
done
echo
echo "| program | outputs beside the simulator's |"
echo "|---|---|"
for file in "$root"/crates/device/programs/*.cu; do
    build $(kernel_of normal) || continue
    launch "$(launch_of normal) --compare"
    differs=$(grep -o "array .* differs in .*" "$work/err" | head -1)
    if [ "$status" = 2 ]; then differs="not run: $(reason)"; fi
    echo "| $(basename "$file" .cu) | ${differs:-equal} |"
done
