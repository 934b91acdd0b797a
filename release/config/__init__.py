"""release.toml → Plan. Imported by the composition root only: it brings pydantic with it."""

from release.config.loading import Config, load, locate
from release.config.planning import build_plan
from release.config.schema import config_schema
from release.config.selector import Selection, parse_selector

__all__ = ["Config", "Selection", "build_plan", "config_schema", "load", "locate", "parse_selector"]
