"""Run a command and write its figures: ``stopwatch.py RESULT COMMAND…``. Kept tiny on purpose.

The kernel counts what a child's parent had in memory at the fork into the child's peak, so a command must
be started by something small. RESULT gets JSON: exit, wall and cpu in seconds, rss (peak) in bytes.
"""

import json
import os
import sys
import time

if __name__ == "__main__":
    result, command = sys.argv[1], sys.argv[2:]
    began = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    figures = {
        "exit": os.waitstatus_to_exitcode(status),
        "wall": time.perf_counter() - began,
        "cpu": usage.ru_utime + usage.ru_stime,
        "rss": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }
    with open(result, "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib alone would double its memory
        json.dump(figures, file)
