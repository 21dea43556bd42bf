"""This module runs commands of paperlake in forks of one process that has imported the libraries, and kills them if told to.

A process of its own takes a second longer to import what a run needs. It is sound as this process itself never uses Polars,
Arrow or DuckDB: it has imported them, and their pools of threads start at the first use, in the fork. Before each fork it
looks whether there are other threads than the idle ones known of. One request a line comes in, one answer a line goes out.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

IDLE_THREADS = frozenset({"python", "python3", "jemalloc_bg_thd", "polars-ooc-clea"})
OWN = frozenset({"flows", "transforms", "warehouse", "__main__"})
LIMIT_SECONDS = 120.0
_POLL_SECONDS = 0.002


def threads() -> set[str]:
    """The names of this process's threads."""
    return {Path(entry, "comm").read_text().strip() for entry in Path("/proc/self/task").iterdir()}


def fork(request: dict[str, Any]) -> int:
    """Starts `words` in a fork with `environment` and its output in the file `output`; gives its number."""
    if others := threads() - IDLE_THREADS - {Path(sys.executable).name, Path("/proc/self/comm").read_text().strip()}:
        raise RuntimeError(f"a fork would not be sound: there are threads {others}")
    sys.stdout.flush()
    number = os.fork()
    if number:
        return number
    code = 70
    try:
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ.update(request["environment"])
        from flows.cli import call

        code = call(request["words"])
        if (listed := request.get("modules")) is not None:
            Path(listed).write_text(json.dumps(sorted(sys.modules)), encoding="utf-8")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def wait(number: int, kill_after: float | None) -> int:
    """The exit code of a fork, negative where a signal ended it; it is killed after so many seconds."""
    start = time.monotonic()
    while True:
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() - start > (LIMIT_SECONDS if kill_after is None else kill_after):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
            kill_after = LIMIT_SECONDS if kill_after is None else LIMIT_SECONDS + kill_after
        time.sleep(_POLL_SECONDS)


def main() -> None:
    """Answers requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        if (listed := request.get("import")) is not None:
            for name in json.loads(Path(listed).read_text(encoding="utf-8")):
                if name.partition(".")[0] not in OWN:  # those make frames as they are imported, and so start pools
                    with suppress(ImportError):
                        importlib.import_module(name)
            answer: dict[str, Any] = {"threads": sorted(threads())}
        else:
            start = time.monotonic()
            answer = {"code": wait(fork(request), request.get("kill_after")), "seconds": time.monotonic() - start}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
