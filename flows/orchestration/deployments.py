"""This module turns `config/prefect.yaml` into deployments, each key checked before a server hears of any.

The file is Prefect's: `prefect deploy` reads the same one. Prefect takes a key that it does not know for a remark; a
misspelt `shedules` would be a nightly run that never comes. So the keys are checked here, and schedules, time zones and
parameters by what Prefect itself makes of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from flows.toml_values import ConfigError, check_keys
from warehouse.names import did_you_mean

if TYPE_CHECKING:
    from prefect.deployments.runner import RunnerDeployment
    from prefect.flows import Flow
    from prefect.schedules import Schedule

_TOP = ("name", "prefect-version", "definitions", "build", "push", "pull", "deployments")
_SERVED = ("name", "description", "entrypoint", "tags", "version", "parameters", "schedules", "concurrency_limit", "paused")
_OF_POOLS = ("work_pool", "build", "push", "pull", "triggers", "enforce_parameter_schema", "flow_name")
"""What `prefect deploy` reads, and `paperlake serve` has no use for."""

_TIMES = ("cron", "interval", "rrule")
_SCHEDULE = (*_TIMES, "timezone", "day_or", "active", "parameters", "slug", "anchor_date")
_LONGEST_SECONDS = 366 * 86_400
_LIMIT = ("limit", "collision_strategy", "grace_period_seconds")
_STRATEGIES = ("ENQUEUE", "CANCEL_NEW")


@dataclass(frozen=True, slots=True)
class Plan:
    """One deployment as the file has it, checked; `schedules` are as Prefect makes them."""

    name: str
    flow: Flow[..., Any]
    entrypoint: str
    schedules: tuple[Schedule, ...]
    parameters: dict[str, Any]
    block: Mapping[str, Any]

    def described(self) -> str:
        """When it runs, in words."""
        told = [
            f"{_time(each)}{f' ({each.timezone})' if each.timezone else ' (UTC)'}" for each in self.schedules if each.active
        ]
        return f"{self.flow.name}/{self.name}: {', '.join(told) or 'no schedule, runs when it is told to'}"


def read_plans(path: Path, content: Any, only: Sequence[str] = ()) -> list[Plan]:
    """The deployments of the file, or those named in `only`.

    Raises:
        ConfigError: a key, schedule, time zone or parameter is not what it should be, or there is no such deployment.
    """
    where = path.name
    if not isinstance(content, Mapping) or not isinstance(content.get("deployments"), list) or not content["deployments"]:
        raise ConfigError(f"{where}: expected a list `deployments:` with at least one")
    check_keys(content, _TOP, where)
    plans = [_plan(block, where) for block in content["deployments"]]
    names = [plan.name for plan in plans]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{where}: two deployments are called '{name}'")
    for name in only:
        if name not in names:
            hint = did_you_mean(name, names, f"there are {', '.join(names)}")
            raise ConfigError(f"--only {name}: {where} has no such deployment; {hint}")
    return [plan for plan in plans if not only or plan.name in only]


def to_serve(plan: Plan, lake: Path) -> RunnerDeployment:
    """The deployment as Prefect serves it, on this lake unless the file names another."""
    from prefect.deployments.runner import RunnerDeployment

    given = plan.parameters.get("lake")
    parameters = plan.parameters | {"lake": str(Path(given).absolute() if given else lake.absolute())}
    block = plan.block
    return RunnerDeployment.from_entrypoint(
        plan.entrypoint,
        name=plan.name,
        schedules=list(plan.schedules),
        paused=block.get("paused"),
        concurrency_limit=_limit(block),
        parameters=parameters,
        description=block.get("description"),
        tags=block.get("tags"),
        version=block.get("version"),
    )


def _plan(block: Any, where: str) -> Plan:
    if not isinstance(block, Mapping) or not isinstance(block.get("name"), str):
        raise ConfigError(f"{where}: each deployment needs a `name:`; found {block!r}")
    where = f"{where} [{block['name']}]"
    check_keys(block, (*_SERVED, *_OF_POOLS), where)
    entrypoint = block.get("entrypoint")
    flow = _flow(entrypoint, where)
    parameters = _mapping(block, "parameters", where)
    _check_parameters(flow, parameters, where)
    schedules = block.get("schedules") or []
    if not isinstance(schedules, list):
        raise ConfigError(f"{where}: schedules should be a list, found {schedules!r}")
    if not isinstance(block.get("paused", False), bool):
        raise ConfigError(f"{where}: paused = {block['paused']!r} should be true or false")
    for key in ("description", "version"):
        if not isinstance(block.get(key, ""), str):
            raise ConfigError(f"{where}: {key} = {block[key]!r} should be a text")
    tags = block.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise ConfigError(f"{where}: tags should be a list of words, found {tags!r}")
    _check_limit(block.get("concurrency_limit"), where)
    made = tuple(_schedule(each, flow, f"{where} schedule {place}") for place, each in enumerate(schedules, start=1))
    return Plan(block["name"], flow, str(entrypoint), made, dict(parameters), block)


def _flow(entrypoint: object, where: str) -> Flow[..., Any]:
    """The flow that an entrypoint leads to."""
    from prefect.exceptions import MissingFlowError, ScriptError
    from prefect.flows import load_flow_from_entrypoint

    ours = "flows.prefect_flow.pipeline"
    if not isinstance(entrypoint, str) or "." not in entrypoint or ":" in entrypoint:
        raise ConfigError(f"{where}: expected entrypoint: {ours} (a module and its flow, with dots), found {entrypoint!r}")
    try:
        return load_flow_from_entrypoint(entrypoint, use_placeholder_flow=False)
    except (ImportError, MissingFlowError, ScriptError) as error:
        raise ConfigError(f"{where}: entrypoint {entrypoint} leads to no flow ({error}); paperlake's is {ours}") from error


def _check_parameters(flow: Flow[..., Any], parameters: Mapping[str, Any], where: str) -> None:
    """Raises `ConfigError` if the flow has no such parameter, or takes no such value for it."""
    from prefect.exceptions import ParameterTypeError
    from prefect.logging.loggers import disable_logger

    check_keys(parameters, list(inspect.signature(flow.fn).parameters), f"{where} parameters")
    try:
        with disable_logger("prefect.flows"):  # it logs what is wrong, too
            flow.validate_parameters(dict(parameters))
    except ParameterTypeError as error:
        told = "; ".join(line.strip(" -") for line in str(error).splitlines()[1:])
        raise ConfigError(f"{where}: parameters: {told or error}") from error


def _schedule(block: Any, flow: Flow[..., Any], where: str) -> Schedule:
    from prefect.schedules import Schedule

    if not isinstance(block, Mapping):
        raise ConfigError(f'{where}: expected keys such as cron: "30 3 * * *", found {block!r}')
    check_keys(block, _SCHEDULE, where)
    given = [key for key in _TIMES if block.get(key) is not None]
    if len(given) != 1:
        raise ConfigError(f"{where}: expected one of {', '.join(_TIMES)}; found {' and '.join(given) or 'none'}")
    parameters = _mapping(block, "parameters", where)
    _check_parameters(flow, parameters, where)
    zone = block.get("timezone")
    if zone is not None and zone not in available_timezones():
        hint = did_you_mean(str(zone), available_timezones(), "a name is such as Europe/Berlin or UTC")
        raise ConfigError(f"{where}: there is no time zone {zone!r}; {hint}")
    fields = {key: block[key] for key in _SCHEDULE if block.get(key) is not None and key != "anchor_date"}
    if given == ["interval"]:
        fields["interval"] = _seconds(block["interval"], where)
    try:
        return Schedule(**fields | {"parameters": dict(parameters)})
    except (ValueError, TypeError) as error:
        expected = 'minute, hour, day, month, weekday, as in "30 3 * * *"' if given == ["cron"] else "as in RFC 5545"
        raise ConfigError(f"{where}: {given[0]} {block[given[0]]!r} is none ({error}); expected {expected}") from error


def _seconds(value: object, where: str) -> timedelta:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _LONGEST_SECONDS:
        raise ConfigError(f"{where}: interval {value!r} should be a number of seconds above 0, and of a year at most")
    return timedelta(seconds=value)


def _check_limit(value: Any, where: str) -> None:
    limit = value
    if isinstance(value, Mapping):
        check_keys(value, _LIMIT, f"{where} concurrency_limit")
        limit = value.get("limit")
        strategy = value.get("collision_strategy", "ENQUEUE")
        if strategy not in _STRATEGIES:
            raise ConfigError(f"{where}: collision_strategy {strategy!r} should be {' or '.join(_STRATEGIES)}")
    if value is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise ConfigError(f"{where}: the concurrency limit is {limit!r}; expected a number of runs, 1 or more")


def _limit(block: Mapping[str, Any]) -> Any:
    from prefect.client.schemas.objects import ConcurrencyLimitConfig

    value = block.get("concurrency_limit")
    return ConcurrencyLimitConfig(**value) if isinstance(value, Mapping) else value


def _mapping(block: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = block.get(key) or {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where}: {key} should be a table of keys, found {value!r}")
    return value


def _time(schedule: Schedule) -> str:
    if schedule.cron is not None:
        return f"cron {schedule.cron}"
    return f"every {schedule.interval}" if schedule.interval is not None else str(schedule.rrule)


def described(plans: Iterable[Plan]) -> list[str]:
    """What each deployment is, a line each."""
    return [plan.described() for plan in plans]
