"""The questions that the bench answers, in the order in which they are printed."""

from collections.abc import Callable, Mapping

from benchmarks.rows import converge, download, growth, latency, requests, startup
from benchmarks.section import Section

ROWS: Mapping[str, Callable[[bool], Section]] = {
    "startup": startup.run,  # what every call costs, before it does anything
    "requests": requests.run,  # what one look costs the rate limit, cold and warm
    "latency": latency.run,  # how well round trips overlap
    "download": download.run,  # how fast bytes are fetched and hashed, and in how much memory
    "converge": converge.run,  # what finishing a release costs, against the same steps by hand
    "assets": growth.run_assets,  # how time, requests and memory grow with assets
    "packages": growth.run_packages,  # the same with packages
}
