"""Download and hash URLs with the product's own client: ``fetch.py PARALLEL URL…``; prints seconds."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from release.adapters.http import Http, Meter


def main(parallel: int, urls: list[str]) -> None:
    """Print the seconds from the first request to the last digest."""
    http = Http(cache=None, meter=Meter())
    began = time.perf_counter()
    with ThreadPoolExecutor(parallel) as pool:
        done = list(pool.map(lambda url: http.stream(url, accept="*/*", algorithms=("sha256",)), urls))
    elapsed = time.perf_counter() - began
    if any(one.status != 200 for one in done):
        raise SystemExit("not every download was answered with 200")
    print(elapsed)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
