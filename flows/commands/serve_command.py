"""This module is `paperlake serve`: the deployments of `config/prefect.yaml`, run when they are due by this process."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from flows.commands.cli_options import LakeOption


def serve(
    *,
    only: Annotated[
        list[str] | None, Parameter(help="serve only this deployment; may be given again", negative=(), consume_multiple=False)
    ] = None,
    lake: LakeOption = None,
    check: Annotated[
        bool, Parameter(negative=(), help="check config/prefect.yaml, say what it holds, and serve nothing")
    ] = False,
) -> int:
    """Serve the deployments of config/prefect.yaml: start each run when it is due, or when somebody asks for it.

    It runs until it is stopped, and needs a Prefect server that stays: `prefect server start`, then
    `export PREFECT_API_URL=http://127.0.0.1:4200/api`; or Prefect Cloud, by its PREFECT_API_URL and PREFECT_API_KEY. Stopped
    with Ctrl-C or SIGTERM it cancels a run that is at work, which leaves the current release as it was. What was due
    meanwhile is made up for by one run when it starts again.

    Example: paperlake serve --only nightly --lake /srv/papers/lake
    """
    from flows.settings import load_deployments, load_settings

    settings = load_settings()
    path = settings.lake_path(lake).absolute()
    from flows.orchestration.deployments import described, read_plans

    plans = read_plans(*load_deployments(settings), only or ())
    if check:
        for line in described(plans):
            print(line)
        return 0
    from flows.orchestration.serving import serve_plans

    serve_plans(plans, path)
    return 0
