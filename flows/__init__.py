"""This package orders the work: settings, steps, the pipeline with its two runtimes, reports, the command line."""

import os

# Prefect reads these when it is first imported, so they are set before any module here can do so, whoever calls the flow:
# its temporary server needs 10 to 25 s to start on two cores where its own limit is 20 s, and nothing is to phone home.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
# The lines that paperlake logs of sources and files belong in the log of the flow run; those outside of one, nowhere there.
os.environ.setdefault("PREFECT_LOGGING_EXTRA_LOGGERS", "paperlake")
os.environ.setdefault("PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW", "ignore")
