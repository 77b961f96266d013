#!/usr/bin/env bash
# Installs what Lockstep needs on Debian and Ubuntu, and nothing when all of it is there.
#
#   scripts/setup.sh            to build and run: clang-19, llvm-19-dev, libclc-19, libz3-dev, zlib1g-dev, libzstd-dev, a C compiler, make
#   scripts/setup.sh --tests    also PoCL and an OpenCL loader, for the differential tests, OpenCL's headers,
#                               clinfo and pyopencl, for those of programs, the solvers z3 and cvc5, which check proofs again, and
#                               Chromium for those of the HTML report, which are skipped without
#   scripts/setup.sh --bench    also Oclgrind, to compare with
#
# Looks for the things themselves, not for packages, so what was installed in another way counts.
# Uses apt-get, with sudo where it must; where it cannot install, it says what is missing and ends
# with status 1. A release has LLVM inside, and needs what its archives need; where that is not to
# be had, it is linked with the shared library, and starts a little later.
set -euo pipefail

tests=false bench=false
for option in "$@"; do
    case "$option" in
        --tests) tests=true ;;
        --bench) bench=true ;;
        *) echo "setup: unknown option $option (known: --tests, --bench)" >&2; exit 2 ;;
    esac
done

say() { echo "setup: $*" >&2; }
exists() { command -v "$1" >/dev/null 2>&1; }
# Is there a file of this pattern?
file() { compgen -G "$1" >/dev/null; }

prefix="${LLVM_SYS_191_PREFIX:-/usr/lib/llvm-19}"
missing=()
need() { # PACKAGE COMMAND…: the package is needed where the command fails
    local package="$1"
    shift
    "$@" || missing+=("$package")
}
has_clang() { exists clang-19 && exists clang++-19; }
has_llvm() { [ -e "$prefix/include/llvm-c/Core.h" ] && file "$prefix/lib/libLLVM*.so"; }
has_libclc() { file '/usr/lib/clc/*.bc' || file '/usr/share/clc/*.bc' || file "$prefix/lib/clc/*.bc"; }
has_z3() { file '/usr/lib/*/libz3.so' || file '/usr/lib/libz3.so' || file '/usr/lib64/libz3.so' || file '/usr/local/lib/libz3.so'; }
# What LLVM's archives need, for a release.
has_zlib() { file '/usr/lib/*/libz.so' || file '/usr/lib/libz.so' || file '/usr/lib64/libz.so'; }
has_zstd() { file '/usr/lib/*/libzstd.so' || file '/usr/lib/libzstd.so' || file '/usr/lib64/libzstd.so'; }
has_compiler() { exists cc; }
has_pocl() { file '/etc/OpenCL/vendors/*pocl*.icd'; }
has_opencl() { [ -e /usr/include/CL/cl.h ] && file '/usr/lib/*/libOpenCL.so'; }
has_pyopencl() { /usr/bin/python3 -c 'import pyopencl' 2>/dev/null; }
has_loader() { file '/usr/lib/*/libOpenCL.so.1' || file '/usr/lib/libOpenCL.so.1' || file '/usr/lib64/libOpenCL.so.1'; }

need clang-19 has_clang
need llvm-19-dev has_llvm
need libclc-19 has_libclc
need libz3-dev has_z3
need zlib1g-dev has_zlib
need libzstd-dev has_zstd
need gcc has_compiler
need make exists make
if $tests; then
    need pocl-opencl-icd has_pocl
    need ocl-icd-libopencl1 has_loader
    has_opencl || missing+=(opencl-headers ocl-icd-opencl-dev)
    need clinfo exists clinfo
    need python3-pyopencl has_pyopencl
    need z3 exists z3
    need cvc5 exists cvc5
fi
if $bench; then
    need oclgrind exists oclgrind-kernel
fi

# Rust, as new as the workspace asks, from wherever.
needed_rust="$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")"
needed_rust="${needed_rust:-1.85}"
rust_is_new_enough() {
    local version
    version="$(rustc --version 2>/dev/null | cut -d' ' -f2)"
    exists cargo && [ -n "$version" ] && at_least "$version" "$needed_rust"
}
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n1)" = "$2" ]; }
rust=true
rust_is_new_enough || rust=false
components=()
if $tests && $rust; then
    exists cargo-fmt || components+=(rustfmt)
    exists cargo-clippy || components+=(clippy)
fi

# Chromium is only for the tests of the HTML report: where it cannot be had they are skipped.
wants_browser=false
if $tests && [ -z "${LOCKSTEP_CHROMIUM:-}" ]; then
    exists chromium || exists chromium-browser || exists google-chrome || wants_browser=true
fi

if [ ${#missing[@]} -eq 0 ] && $rust && [ ${#components[@]} -eq 0 ] && ! $wants_browser; then
    say "all there"
    exit 0
fi

root=()
if [ "$(id -u)" -ne 0 ]; then
    root=(sudo)
fi
can_install=true
if ! exists apt-get || { [ "$(id -u)" -ne 0 ] && ! exists sudo; }; then
    can_install=false
fi
candidate() { # the version apt would install, or nothing
    apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([^( ].*\)$/\1/p'
}

if [ ${#missing[@]} -gt 0 ]; then
    if ! $can_install; then
        say "missing: ${missing[*]}"
        say "this script installs them only on Debian and Ubuntu, as root or with sudo;"
        say "install the packages of these names (LLVM 19 with its C headers and shared library) and run it again"
        exit 1
    fi
    say "installing ${missing[*]}"
    "${root[@]}" apt-get update -qq
    absent=()
    for package in "${missing[@]}"; do
        [ -n "$(candidate "$package")" ] || absent+=("$package")
    done
    if [ ${#absent[@]} -gt 0 ]; then
        say "this release has no package ${absent[*]}"
        say "LLVM 19 is in Debian 12 and later (bookworm with its updates) and in Ubuntu 24.04 (noble-updates) and later;"
        say "PoCL and Oclgrind are in Debian's main and Ubuntu's universe section, which may have to be enabled."
        say "On an older release add LLVM's own apt repository for LLVM 19, then run this again."
        exit 1
    fi
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

if ! $rust; then
    if $can_install && at_least "$(candidate cargo | grep . || echo 0)" "$needed_rust"; then
        packages=(cargo rustc)
        if $tests; then packages+=(rustfmt rust-clippy); fi
        say "installing ${packages[*]}"
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2
    elif exists rustup || { $can_install && [ -n "$(candidate rustup)" ]; }; then
        # Newer releases package rustup, which brings a Rust of its own to the home directory.
        if ! exists rustup; then
            say "installing rustup"
            "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y -qq --no-install-recommends rustup ca-certificates >&2
        fi
        wanted=()
        if $tests; then wanted=(--component rustfmt --component clippy); fi
        say "installing Rust with rustup"
        # One that comes as a package cannot update itself, and fails if it tries.
        rustup toolchain install stable --no-self-update --profile minimal "${wanted[@]}" >&2
        rustup default stable >&2
        if ! rust_is_new_enough; then
            say "Rust $needed_rust or newer is needed, and rustup's is not the one that is found: $(command -v rustc || echo none)"
            exit 1
        fi
    else
        say "Rust $needed_rust or newer is missing, and this release has no package of it."
        say "Install rustup as the Rust project's page describes, then: rustup default stable"
        exit 1
    fi
fi
if [ ${#components[@]} -gt 0 ]; then
    if exists rustup; then
        rustup component add "${components[@]}" >&2
    else
        say "missing: ${components[*]} (Debian's packages: rustfmt, rust-clippy)"
        exit 1
    fi
fi
if $wants_browser; then
    if $can_install && "${root[@]}" apt-get update -qq \
        && "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends chromium >&2; then
        say "installed chromium"
    else
        say "no chromium here: the tests of the HTML report in a browser will be skipped"
    fi
fi
say "done"
