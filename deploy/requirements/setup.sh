#!/bin/sh
# Makes an environment from hash-pinned requirements, or leaves it alone when it is what they ask for.
#
#   sh deploy/requirements/setup.sh runtime|dev|clients
#
# Run from the top of the repository. PYTHON=/path/to/python chooses the interpreter. Exit 2: no usable one.
set -eu

role=$1
req=deploy/requirements
here=$(pwd -P)
case $role in
    runtime) env=.venv files="$req/build.txt $req/runtime.txt" project="pyproject.toml $req/runtime.in $req/hook.py" ;;
    dev) env=.venv files="$req/build.txt $req/dev.txt" project="pyproject.toml $req/runtime.in $req/hook.py" ;;
    clients) env=.venv-clients files="$req/clients.txt" project="" ;;
    *) echo "setup.sh: say runtime, dev or clients, not $role" >&2; exit 2 ;;
esac

# Stays while anything is being installed: found at the start, it means that the last time was cut off.
unfinished=$env/.redtape-unfinished
# What was installed, by content: a fresh checkout changes times and nothing else.
stamp=$env/.redtape-$role

usable='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))'

find_python() {
    # 3.13 is what Redtape is built on, 3.12 is supported, later ones are worth a try. Each is run, since a
    # version manager leaves commands for versions that it then does not find; that is also why its own folders
    # are looked into.
    for python in ${PYTHON:-python3.13 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13*/bin/python \
        python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12*/bin/python \
        python3.14 python3.15 python3 python "$HOME"/.local/share/uv/python/cpython-3.1[2-9]*/bin/python3 \
        /opt/homebrew/bin/python3 /usr/local/bin/python3}; do
        if "$python" -c "$usable" >/dev/null 2>&1; then
            echo "$python"
            return
        fi
    done
}

no_python() {
    for python in ${PYTHON:-python3.13 python3.12 python3.14 python3}; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1; then
            version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
            echo "Python $version has no venv: run 'apt-get install python$version-venv' (or your system's like), then make again" >&2
            exit 2
        fi
    done
    echo "No Python >= 3.12 found${PYTHON:+ at $PYTHON}: install one (apt-get install python3 python3-venv where that is new enough, else pyenv install 3.13), or run make PYTHON=/path/to/python3.13" >&2
    exit 2
}

whole() {
    # Cut off, moved from elsewhere (its scripts and paths name the old place), or its Python is gone: not whole.
    [ ! -e "$unfinished" ] && grep -qF "$here/$env" "$env/bin/activate" 2>/dev/null &&
        "$env/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 12) or sys.prefix == sys.base_prefix)' 2>/dev/null
}

made=
if ! whole; then
    python=$(find_python)
    [ -n "$python" ] || no_python
    echo "Making $env with $("$python" --version 2>&1) ..." >&2
    rm -rf "$env"
    mkdir "$env"
    : >"$unfinished"
    "$python" -m venv "$env"
    made=yes
fi

# shellcheck disable=SC2086 # lists of files, without spaces
key=$(cat $files | cksum)-$("$env/bin/python" -V)
# shellcheck disable=SC2086
[ -z "$project" ] || project_key=$(cat $project | cksum)

pip() {
    # Errors alone: its warnings (of mirrors, of root, of PATH) change nothing here and hide what make prints.
    "$env/bin/python" -m pip --quiet --quiet --disable-pip-version-check --no-input "$@"
}

# A dev environment holds all that a runtime one does.
if [ "$role" = runtime ] && [ -e "$env/.redtape-dev" ]; then
    dev_key=$(cat "$req/build.txt" "$req/dev.txt" | cksum)-$("$env/bin/python" -V)
    [ "$(cat "$env/.redtape-dev")" != "$dev_key" ] || stamp=$env/.redtape-dev key=$dev_key
fi

if [ "$(cat "$stamp" 2>/dev/null)" != "$key" ]; then
    [ -n "$made" ] || echo "Bringing $env up to date ..." >&2
    : >"$unfinished"
    rm -f "$env/.redtape-runtime" "$env/.redtape-dev" # what another role installed may change now
    for file in $files; do
        set -- "$@" -r "$file"
    done
    shift
    # Wheels only: building from source would fetch build tools that nothing pins.
    pip install --require-hashes --only-binary :all: "$@"
    echo "$key" >"$stamp"
fi

if [ -n "$project" ] && [ "$(cat "$env/.redtape-project" 2>/dev/null)" != "$project_key" ]; then
    : >"$unfinished"
    pip install --no-deps --no-build-isolation --editable .
    echo "$project_key" >"$env/.redtape-project"
fi
rm -f "$unfinished"
