#!/bin/sh
# What is measured on a machine with a GPU: which races are found there, whether outputs equal the simulator's, and what the
# checker costs. Two steps, since the machine with the GPU may have nothing but lockstep-device:
#
#   scripts/on-a-gpu.sh build DIR [sm_NN]    anywhere: writes all archives, the list of their launches, this script and
#                                            lockstep-device into DIR
#   DIR/on-a-gpu.sh run DIR                  on the machine with the GPU: launches them, and prints tables in Markdown
#
# Needs lockstep and lockstep-device on the path, or in target/release. PARTS names what is built or run (default: programs
# tests costs; racecheck runs NVIDIA's tool on the programs of costs, which takes minutes); JOBS how many launches that are not timed run
# at once (default: 8); LIMIT the seconds that each may take.
set -u
step=${1:-}
dir=${2:-}
parts=${PARTS:-programs tests costs}
jobs=${JOBS:-8}
limit=${LIMIT:-30}
tab=$(printf '\t')
case "$step:$dir" in
    build:?* | run:?* | one:?*) ;;
    *) sed -n 's/^# \{0,1\}//p' "$0" | head -12 >&2 && exit 2 ;;
esac
mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 2

# A line of the list: part, name, what it is built with, lines that race (or -), words of the launch.
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" >> "$dir/launches"; }

# --kernel and its name, of the words of a launch; and the words without it, and without those that only the simulator has.
kernel_of() { printf '%s\n' "$1" | sed -n 's/.*\(--kernel [^ ]*\).*/\1/p'; }
facts_of() { launch_of "$1" | sed -E 's/--(shared|seed) [^ ]*//g'; }
launch_of() { printf '%s\n' "$1" | sed -E 's/--(kernel|dump|budget|scheduling|warp-size) [^ ]*//g; s/^ *run //'; }

# The lines of a file that are marked with a kind of finding, in a revision.
marks() {
    awk -v revision="$2" -v kind="$3" '
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
                if (own && mark ~ "^ *" kind) { out = out (out == "" ? "" : ",") NR; break }
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
            [ $revision = normal ] || lines=$(marks "$file" "" data-race)
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
    for file in "$root"/crates/device/programs/costs/*.cu; do
        words=$(sed -n "s|^// launch\[small\]: ||p" "$file")
        name=small/$(basename "$file" .cu)
        build "tests/$name" "$file" --no-prune
        row tests "tests/$name" whole - "$words"
    done
    for file in "$root"/tests/data-race/*.cu "$root"/tests/clean/*.cu "$root"/tests/barrier-divergence/*.cu "$root"/tests/out-of-bounds/*.cu; do
        name=$(basename "$(dirname "$file")")/$(basename "$file" .cu)
        kind=$(kind_of "tests/$name")
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
                row tests "$own" whole "$(marks "$file" "$revision" "$kind")" "$(launch_of "$words")"
            done
    done
}

# The kind of finding that a launch of the tests is about.
kind_of() {
    case "$1" in
        tests/barrier-divergence/* | tests/out-of-bounds/*) echo "$1" | cut -d / -f 2 ;;
        *) echo data-race ;;
    esac
}

build_costs() {
    mkdir -p "$dir/sources"
    cp "$root/crates/device/programs/costs/native.cpp" "$dir/sources/"
    for file in "$root"/crates/device/programs/costs/*.cu "$root"/crates/device/programs/*.cu; do
        name=$(basename "$file" .cu)
        words=$(sed -n "s|^// launch\[large\]: ||p" "$file")
        [ -n "$words" ] || continue
        kernel=$(kernel_of "$words" | sed 's/--kernel //')
        [ ! -e "$dir/sources/$name.cu" ] || name=$name-paper
        cp "$file" "$dir/sources/$name.cu"
        for memory in shared all; do
            for how in pruned whole; do
                options=$(facts_of "$words")
                [ $how = pruned ] || options=--no-prune
                build "costs/$name.$memory.$how" "$file" "$(kernel_of "$words") $options --memory $memory"
            done
        done
        row costs "$name" "${kernel:-$name}" - "$(launch_of "$words")"
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

# What a launch with expected lines $2 of kind $3 has come to: found, missed, silent, false, possible, elsewhere, refused,
# stopped or failed.
outcome() {
    at="$dir/results/$1"
    certain=$(grep "error\[$3\]" "$at.out" | grep -v '\]: possible' | sed 's/^[^ ]*\.cu:\([0-9]*\):.*/\1/')
    possible=$(grep -c "error\[$3\]: possible" "$at.out")
    case "$(cat "$at.status")" in
        refused) echo "refused" && return ;;
        0 | 1 | 3) ;;
        *)
            if [ -z "$certain" ]; then
                grep -q 'GPU stopped the kernel\|did not end within' "$at.err" && echo stopped || echo failed
                return
            fi ;;
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
        more="--scheme statement"
        [ "$lines" != - ] || more=--compare
        printf '%s\0%s\0%s\0%s\0' "$archive" "$archive" "$more" "$words"
    done | LIMIT=$limit xargs -0 -n 4 -P "$jobs" "$self" one "$dir" "$device"
done

echo "On $(date -u +%Y-%m-%d)."
case " $parts " in *" programs "*)
    echo
    echo "| program | inputs | checked | found | races without running | statements | pairs | pieces of memory |"
    echo "|---|---|---|---|---|---|---|---|"
    list programs | while IFS=$tab read -r _ name how lines words; do
        at=programs/$name
        checked=$(sed -n 's/ checked.*//p' "$dir/archives/$at.built" | head -1)
        static=$(grep -c '^race without running' "$dir/archives/$at.built")
        result=$(outcome "$at" "$lines" data-race)
        [ "$result" != failed ] || result="failed: $(reason "$dir/results/$at.err")"
        counted=$(sed -n 's/^with records .*: \([0-9]*\) statements in \([0-9]*\) pairs race, for \([0-9]*\) pieces.*/\1 | \2 | \3/p' \
            "$dir/results/$at.err")
        echo "| ${name%%.*} | $(echo "${name#*.}" | tr . ' ') | $checked | $result | $static | ${counted:- | | } |"
    done ;;
esac
case " $parts " in *" tests "*)
    list tests | while IFS=$tab read -r _ name how lines words; do
        kind=marked
        [ "$lines" != - ] || kind=clean
        same=
        if [ $kind = clean ] && [ "$(cat "$dir/results/$name.status")" != refused ]; then
            same=equal
            grep -q 'differs in' "$dir/results/$name.err" && same=different
            grep -q '^error' "$dir/results/$name.err" && same="not compared"
        fi
        printf '%s\t%s\t%s\t%s\n' "$(kind_of "$name") $kind" "$(outcome "$name" "$lines" "$(kind_of "$name")")" "$same" "$name"
    done > "$dir/results/of-tests"
    echo
    echo "| launches | outcome | number |"
    echo "|---|---|---|"
    cut -f 1,2 "$dir/results/of-tests" | sort | uniq -c | awk '{ printf "| %s, %s | %s | %s |\n", $2, $3, $4, $1 }'
    echo
    echo "| outputs beside the simulator's | number |"
    echo "|---|---|"
    cut -f 3 "$dir/results/of-tests" | grep . | sort | uniq -c | awk '{ n = $1; $1 = ""; printf "|%s | %s |\n", $0, n }'
    echo
    echo "| launch | outcome | why |"
    echo "|---|---|---|"
    grep -vE "^[^${tab}]* marked${tab}found${tab}|^[^${tab}]* clean${tab}silent${tab}equal" "$dir/results/of-tests" | while IFS= read -r line; do
        kind=$(echo "$line" | cut -f 1) result=$(echo "$line" | cut -f 2) same=$(echo "$line" | cut -f 3)
        name=$(echo "$line" | cut -f 4)
        why=$(reason "$dir/results/$name.err")
        [ -n "$why" ] || why=$(grep -o "array .* differs in .*" "$dir/results/$name.err" | head -1)
        echo "| $name ($kind) | $result${same:+, $same} | $why |"
    done ;;
esac
for tool in nvcc compute-sanitizer; do
    command -v $tool > /dev/null || PATH="$PATH:/usr/local/cuda/bin"
done
mkdir -p "$dir/results/costs" "$dir/native"

# The programs of which costs are measured, compiled by nvcc.
compile_native() {
    command -v nvcc > /dev/null || return
    list costs | while IFS=$tab read -r _ name kernel lines words; do
        [ -x "$dir/native/$name" ] || (cd "$dir/sources" && nvcc -O3 -arch="${ARCH:-sm_90}" "-DSOURCE=\"$name.cu\"" \
            "-DKERNEL=$kernel" -x cu native.cpp -o "$dir/native/$name") 2> "$dir/results/costs/$name.nvcc" &
    done
    wait
}

# Milliseconds that a line `… N ms` of standard input says.
ms_of() { sed -n 's/^\([0-9.]*\) ms$/\1/p'; }

case " $parts " in *" costs "*)
    compile_native
    echo
    echo "Milliseconds; with the checker for shared or for all memory; what is proved safe left out, or everything checked."
    echo
    echo "| program | nvcc | native | shared, proof | shared, all checked | all memory, proof | all memory, all checked | records | cells (B) |"
    echo "|---|---|---|---|---|---|---|---|---|"
    list costs | while IFS=$tab read -r _ name kernel lines words; do
        cells= native= row=
        for variant in shared.pruned shared.whole all.pruned all.whole; do
            variant="costs/$name.$variant"
            scheme=flag
            case "$variant" in *.all.whole) scheme=statement ;; esac
            one "$variant" "$variant" "--repeat ${REPEAT:-5} --scheme $scheme" "$words" < /dev/null
            err="$dir/results/$variant.err"
            result=$(outcome "$variant" - data-race)
            ms=$(sed -n 's/.*: \([0-9.]*\) ms, with the checker \([0-9.]*\) ms.*/\2/p' "$err")
            [ -n "$native" ] || native=$(sed -n 's/.*: \([0-9.]*\) ms, with the checker.*/\1/p' "$err")
            [ "$result" = silent ] || ms="$ms ($result: $(reason "$err"))"
            row="$row ${ms:--} |"
            cells=$(sed -n 's/.*cells: \(.*\) B of global memory, \(.*\) B of shared.*/\1 + \2 each block/p' "$err")
        done
        recorded=$(sed -n 's/^with records \([0-9.]*\) ms.*/\1/p' "$err")
        compiled=
        if [ -x "$dir/native/$name" ]; then
            compiled=$(eval "timeout -k 5 $limit '$dir/native/$name' ${REPEAT:-5} $words" 2>&1 < /dev/null | ms_of)
        fi
        echo "| $name | ${compiled:--} | ${native:--} |$row ${recorded:--} | $cells |"
    done ;;
esac
case " $parts " in *" racecheck "*)
    compile_native
    echo
    echo "| program | nvcc (ms) | below racecheck (ms) | found by it |"
    echo "|---|---|---|---|"
    list costs | while IFS=$tab read -r _ name kernel lines words; do
        [ -x "$dir/native/$name" ] || continue
        compiled=$(eval "timeout -k 5 $limit '$dir/native/$name' ${REPEAT:-5} $words" 2>&1 < /dev/null | ms_of)
        log="$dir/results/costs/$name.racecheck"
        eval "timeout -k 5 $limit compute-sanitizer --tool racecheck '$dir/native/$name' 1 $words" > "$log" 2>&1 < /dev/null
        raced=$(ms_of < "$log")
        said=$(sed -n 's/.*RACECHECK SUMMARY: //p' "$log")
        echo "| $name | ${compiled:--} | ${raced:-not within $limit s} | $said |"
    done ;;
esac
