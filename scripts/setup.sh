# Shared by scripts/demo, scripts/test and scripts/bench: makes .venv and .tools inside the checkout.
# Every step is skipped when what it would install is already there for the same inputs.

need() {
  command -v "$1" >/dev/null 2>&1 || { echo "$1 is needed and not on PATH" >&2; exit 4; }
}

install_python() { # $1: what pip installs, e.g. ".[dev]"
  need python3
  local stamp key
  key="$(cat pyproject.toml; echo "$1"; python3 --version)"
  stamp=".venv/.installed"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ]; then return; fi
  [ -x .venv/bin/python ] || python3 -m venv .venv
  echo "== installing Python packages into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -e "$1"
  printf '%s' "$key" >"$stamp"
}

install_node_tools() {
  need node
  need npm
  need git
  scripts/node/install
}
