# Shared by scripts/demo, scripts/test and scripts/bench: makes .venv and .tools inside the checkout.
# Every step is skipped when what it would install is already there for the same inputs.

need() {
  command -v "$1" >/dev/null 2>&1 || { echo "$1 is needed and not on PATH" >&2; exit 4; }
}

install_python() { # $1: what pip installs, e.g. ".[dev]", which is more than "."
  need python3
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    { echo "Python 3.11 or newer is needed; python3 is $(python3 --version)" >&2; exit 4; }
  local stamp inputs installed=""
  inputs="$(python3 --version; cat pyproject.toml)"
  stamp=".venv/.installed"
  [ ! -f "$stamp" ] || installed="$(cat "$stamp")"
  case "$installed" in
    "$1 $inputs" | ".[dev] $inputs") return ;;
  esac
  [ -x .venv/bin/python ] || python3 -m venv .venv
  echo "== installing Python packages into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -e "$1"
  printf '%s' "$1 $inputs" >"$stamp"
}

install_node_tools() {
  need node
  need npm
  need git
  scripts/node/install
}
