#!/bin/sh
# What is measured on a machine with a GPU: which races are found there, whether outputs equal the simulator's, and what the
# checker costs. Two steps, since the machine with the GPU may have nothing but lockstep-device:
#
#   scripts/on-a-gpu.sh build DIR [sm_NN]    anywhere: writes all archives, the list of their launches, this script and
#                                            lockstep-device into DIR
#   DIR/on-a-gpu.sh run DIR                  on the machine with the GPU: launches them, and prints tables in Markdown
#
# Needs lockstep and lockstep-device on the path, or in target/release. PARTS names what is built or run (default: programs
# tests costs); JOBS how many launches that are not timed run at once (default: 8); LIMIT the seconds that each may take.
set -u
step=${1:-}
dir=${2:-}
parts=${PARTS:-programs tests costs}
jobs=${JOBS:-8}
limit=${LIMIT:-30}
tab=$(printf '\t')
case "$step:$dir" in
    build:?* | run:?* | one:?*) ;;
    *) sed -n 's/^# \{0,1\}//p' "$0" | head -10 >&2 && exit 2 ;;
esac
mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 2

# A line of the list: part, name, what it is built with, lines that race (or -), words of the launch.
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" >> "$dir/launches"; }

# --kernel and its name, of the words of a launch; and the words without it, and without those that only the simulator has.
kernel_of() { printf '%s\n' "$1" | sed -n 's/.*\(--kernel [^ ]*\).*/\1/p'; }
facts_of() { launch_of "$1" | sed -E 's/--(shared|seed) [^ ]*//g'; }
launch_of() { printf '%s\n' "$1" | sed -E 's/--(kernel|dump|budget|scheduling|warp-size) [^ ]*//g; s/^ *run //'; }

# The lines of a file that are marked to race, in a revision.
marks() {
    awk -v revision="$2" '
        /\/\/~/ {
            n = split($0, parts, "//~")
            for (i = 2; i <= n; ++i) {
                mark = parts[i]; own = 1
                if (match(mark, /^ *\[[^]]*\]/)) {
                    list = substr(mark, 1, RLENGTH); mark = substr(mark, RLENGTH + 1)
                    gsub(/[][ ]/, "", list); own = 0
                    m = split(list, names, ",")
                    for (j = 1; j <= m; ++j) if (names[j] == revision) own = 1
                }
                if (own && mark ~ /^ *data-race/) { out = out (out == "" ? "" : ",") NR; break }
            }
        }
        END { print (out == "" ? "-" : out) }' "$1"
}

# build NAME FILE OPTIONS…: an archive, and beside it what was said.
build() {
    at="$dir/archives/$1"
    file=$2
    shift 2
    mkdir -p "$(dirname "$at")"
    eval "lockstep device build '$file' -o '$at.lsd' --arch $arch $*" > "$at.built" 2> "$at.refused" && rm "$at.refused"
}

build_programs() {
    for file in "$root"/crates/device/programs/*.cu; do
        name=$(basename "$file" .cu)
        for revision in bug normal; do
            words=$(sed -n "s|^// launch\[$revision\]: ||p" "$file")
            lines=-
            [ $revision = normal ] || lines=$(marks "$file" "")
            for how in pruned whole; do
                options=$(facts_of "$words")
                [ $how = pruned ] || options=--no-prune
                build "programs/$name.$revision.$how" "$file" "$(kernel_of "$words") $options"
                row programs "$name.$revision.$how" "$how" "$lines" "$(launch_of "$words")"
            done
        done
    done
}

build_tests() {
    for file in "$root"/tests/data-race/*.cu "$root"/tests/clean/*.cu; do
        name=$(basename "$(dirname "$file")")/$(basename "$file" .cu)
        sed -nE '1,12s|^// lockstep(\[([^]]*)\])?: (run .*--block .*)|\2\t\3|p' "$file" |
            while IFS=$tab read -r revision words || [ -n "$revision" ]; do
                # Without a revision the first field is empty, and a tab at the start is no field to `read`.
                [ -n "$words" ] || { words=$revision && revision=; }
                case "$words" in
                    # No GPU since Volta runs the threads of a warp together, and all have warps of 32.
                    *--scheduling\ lockstep* | *--warp-size\ 16* | *--warp-size\ 64*) continue ;;
                esac
                own=tests/$name${revision:+.$revision}
                build "$own" "$file" --no-prune $(kernel_of "$words")
                row tests "$own" whole "$(marks "$file" "$revision")" "$(launch_of "$words")"
            done
    done
}

build_costs() {
    for file in "$root"/crates/device/programs/*.cu "$root"/crates/device/programs/costs/*.cu; do
        [ -e "$file" ] || continue
        name=$(basename "$file" .cu)
        words=$(sed -n "s|^// launch\[large\]: ||p" "$file")
        [ -n "$words" ] || continue
        for memory in shared all; do
            for how in pruned whole; do
                options=$(facts_of "$words")
                [ $how = pruned ] || options=--no-prune
                build "costs/$name.$memory.$how" "$file" "$(kernel_of "$words") $options --memory $memory"
                row costs "$name.$memory.$how" "$memory $how" - "$(launch_of "$words")"
            done
        done
    done
}

# one NAME ARCHIVE OPTIONS WORDS: launches it; leaves what was said and the exit status.
one() {
    at="$dir/results/$1"
    mkdir -p "$(dirname "$at")"
    if [ ! -e "$dir/archives/$2.lsd" ]; then
        cp "$dir/archives/$2.refused" "$at.err"
        : > "$at.out"
        echo refused > "$at.status"
        return
    fi
    eval "timeout -k 5 $limit $device run '$dir/archives/$2.lsd' --budget 10 --format concise $3 $4" > "$at.out" 2> "$at.err"
    echo $? > "$at.status"
}

reason() { sed -n 's/^error: //p' "$1" | head -1 | cut -c 1-160; }

# What a launch with expected lines $2 has come to: found, missed, silent, false, possible, refused or failed.
outcome() {
    at="$dir/results/$1"
    certain=$(grep 'error\[data-race\]' "$at.out" | grep -v '\]: possible' | sed 's/^[^ ]*\.cu:\([0-9]*\):.*/\1/')
    possible=$(grep -c 'error\[data-race\]: possible' "$at.out")
    case "$(cat "$at.status")" in
        refused) echo "refused" && return ;;
        0 | 1 | 3) ;;
        *) [ -n "$certain" ] || { echo failed && return; } ;;
    esac
    if [ "$2" = - ]; then
        if [ -n "$certain" ]; then echo false
        elif [ "$possible" -gt 0 ]; then echo "possible"
        else echo silent
        fi
        return
    fi
    for line in $certain; do
        case ",$2," in *,"$line",*) ;; *) echo "elsewhere" && return ;; esac
    done
    if [ -n "$certain" ]; then echo found
    elif [ "$possible" -gt 0 ]; then echo possible
    else echo missed
    fi
}

if [ "$step" = one ]; then
    device=$3
    one "$4" "$5" "$6" "$7"
    exit
fi

if [ "$step" = build ]; then
    root=$(cd "$(dirname "$0")/.." && pwd)
    PATH="${CARGO_TARGET_DIR:-$root/target}/release:$PATH"
    arch=${3:-sm_90}
    : > "$dir/launches"
    for part in $parts; do build_"$part"; done
    cp "$0" "$dir/on-a-gpu.sh" && cp "$(command -v lockstep-device)" "$dir/" || exit 2
    echo "$(wc -l < "$dir/launches") launches in $dir: on the machine with the GPU, $dir/on-a-gpu.sh run $dir" >&2
    exit
fi

device="$dir/lockstep-device"
[ -x "$device" ] || device=$(command -v lockstep-device) || { echo "lockstep-device is not there" >&2 && exit 2; }
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
mkdir -p "$dir/results"
list() { awk -F '\t' -v part="$1" '$1 == part' "$dir/launches"; }

# Launches that are not timed, several at once: each takes most of its time to prepare.
for part in programs tests; do
    case " $parts " in *" $part "*) ;; *) continue ;; esac
    list $part | while IFS=$tab read -r _ name how lines words; do
        archive=$name
        [ $part = tests ] || archive=programs/$name
        compare=
        [ "$lines" != - ] || compare=--compare
        printf '%s\0%s\0%s\0%s\0' "$archive" "$archive" "$compare" "$words"
    done | LIMIT=$limit xargs -0 -n 4 -P "$jobs" "$self" one "$dir" "$device"
done

echo "On $(date -u +%Y-%m-%d)."
case " $parts " in *" programs "*)
    echo
    echo "| program | inputs | checked accesses | found | races without running | findings |"
    echo "|---|---|---|---|---|---|"
    list programs | while IFS=$tab read -r _ name how lines words; do
        at=programs/$name
        checked=$(sed -n 's/ checked.*//p' "$dir/archives/$at.built" | head -1)
        static=$(grep -c '^race without running' "$dir/archives/$at.built")
        result=$(outcome "$at" "$lines")
        [ "$result" != failed ] || result="failed: $(reason "$dir/results/$at.err")"
        echo "| ${name%%.*} | $(echo "${name#*.}" | tr . ' ') | $checked | $result | $static | $(grep -c data-race "$dir/results/$at.out") |"
    done ;;
esac
case " $parts " in *" tests "*)
    list tests | while IFS=$tab read -r _ name how lines words; do
        kind=racy
        [ "$lines" != - ] || kind=clean
        same=
        if [ $kind = clean ] && [ "$(cat "$dir/results/$name.status")" != refused ]; then
            same=equal
            grep -q 'differs in' "$dir/results/$name.err" && same=different
            grep -q '^error' "$dir/results/$name.err" && same="not compared"
        fi
        printf '%s\t%s\t%s\t%s\n' "$kind" "$(outcome "$name" "$lines")" "$same" "$name"
    done > "$dir/results/of-tests"
    echo
    echo "| launches | outcome | number |"
    echo "|---|---|---|"
    cut -f 1,2 "$dir/results/of-tests" | sort | uniq -c | awk '{ printf "| %s | %s | %s |\n", $2, $3, $1 }'
    echo
    echo "| outputs beside the simulator's | number |"
    echo "|---|---|"
    cut -f 3 "$dir/results/of-tests" | grep . | sort | uniq -c | awk '{ n = $1; $1 = ""; printf "|%s | %s |\n", $0, n }'
    echo
    echo "| launch | outcome | why |"
    echo "|---|---|---|"
    grep -vE "^racy${tab}found${tab}|^clean${tab}silent${tab}equal" "$dir/results/of-tests" | while IFS= read -r line; do
        kind=$(echo "$line" | cut -f 1) result=$(echo "$line" | cut -f 2) same=$(echo "$line" | cut -f 3)
        name=$(echo "$line" | cut -f 4)
        why=$(reason "$dir/results/$name.err")
        [ -n "$why" ] || why=$(grep -o "array .* differs in .*" "$dir/results/$name.err" | head -1)
        echo "| $name ($kind) | $result${same:+, $same} | $why |"
    done ;;
esac
case " $parts " in *" costs "*)
    echo
    echo "| program | memory | accesses | checked | native (ms) | with the checker (ms) | times |"
    echo "|---|---|---|---|---|---|---|"
    list costs | while IFS=$tab read -r _ name how lines words; do
        checked=$(sed -n 's/ checked.*//p' "$dir/archives/costs/$name.built" | head -1)
        one "costs/$name" "costs/$name" "--repeat ${REPEAT:-5}" "$words"
        result=$(outcome "costs/$name" -)
        measured=$(sed -n 's/.*: \([0-9.]*\) ms, with the checker \([0-9.]*\) ms.*/\1 \2/p' "$dir/results/costs/$name.err")
        if [ -z "$measured" ]; then
            echo "| ${name%%.*} | $how | $checked | $result: $(reason "$dir/results/costs/$name.err") | | |"
        else
            [ "$result" = silent ] && note= || note=" ($result)"
            echo "$measured" | awk -v n="${name%%.*}" -v h="$how" -v c="$checked" -v note="$note" '
                { split(h, w, " "); printf "| %s | %s | %s | %s | %s | %s | %.2f%s |\n", n, w[1], w[2], c, $1, $2, ($1 > 0 ? $2 / $1 : 0), note }'
        fi
    done ;;
esac
