"""This module is a Prefect server of the soak's own, on a free port and in a folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

START_SECONDS = 180.0


class PrefectServer:
    """A `prefect server start` that ends with `close`; `environment` lets a run find it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}/api"
        self.environment = {
            "PREFECT_HOME": str(folder),
            "PREFECT_API_URL": url,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        }
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "PAPERLAKE_"))}
        words = [sys.executable, "-m", "prefect", "server", "start", "--no-ui", "--host", "127.0.0.1", "--port", str(port)]
        with (folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                words, env=clean | self.environment, stdout=log, stderr=log, start_new_session=True
            )
        until = time.monotonic() + START_SECONDS
        while not self._answers(url):
            if time.monotonic() > until or self._process.poll() is not None:
                self.close()
                raise RuntimeError(f"the Prefect server did not start; see {folder / 'server.log'}")
            time.sleep(0.5)

    @staticmethod
    def _answers(url: str) -> bool:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def close(self) -> None:
        """Ends the server and what it started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
