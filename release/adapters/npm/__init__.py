"""An npm registry, and what the commit packs to. Everything here only looks."""
