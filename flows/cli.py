"""This module is the command line: it parses, calls, prints. Each command imports what it needs when it is called."""

from __future__ import annotations

import importlib.metadata
import io
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter

from flows.commands.check_command import check
from flows.commands.cli_options import AtOption, FormatOption, LakeOption, WaitOption
from flows.commands.diff_command import diff
from flows.commands.doctor_command import doctor
from flows.commands.export_command import export
from flows.commands.history_commands import prune, releases, rollback, unpin
from flows.commands.profile_command import profile
from flows.commands.query_command import query
from flows.commands.replay_command import replay
from flows.commands.serve_command import serve
from flows.commands.show_command import show
from flows.commands.sources_command import sources
from flows.commands.sql_command import sql
from flows.commands.status_command import status
from flows.commands.verify_command import verify
from warehouse.row_formats import quiet_when_reader_leaves

app = App(
    name="paperlake",
    help="Messy lists of academic papers in; one clean, de-duplicated, accounted-for set of Parquet tables out.",
    help_epilogue="Begin with `paperlake run FILES`. Add --debug to any command for the stack trace of an error, --log-format "
    "json (or PAPERLAKE_LOG_FORMAT=json) for lines of JSON on standard error. Exit codes: 0 done; 1 data or run failed, or "
    "what was looked at is wanting; 2 usage or configuration; 3 the run is done, and a source or a release is held back; "
    "4 the lock was not obtained; 130 interrupted.",
    help_format="plaintext",
    version=lambda: importlib.metadata.version("paperlake"),
    version_flags=["--version"],
)


@app.command
def run(
    *paths: Annotated[Path, Parameter(help="files and folders to land; none lands every source of config/sources.toml")],
    lake: LakeOption = None,
    direct: Annotated[bool, Parameter(negative=(), help="run in this process, without Prefect")] = False,
    dry_run: Annotated[bool, Parameter(negative=(), help="say what would happen, and change nothing")] = False,
    rehash: Annotated[bool, Parameter(negative=(), help="look again into files whose size and time are as before")] = False,
    strict: Annotated[
        bool, Parameter(negative=(), help="fail, and publish nothing, if a live file is not read as a list of papers")
    ] = False,
    without_identifiers: Annotated[
        bool, Parameter(negative=(), help="match records as if they had no identifiers, to measure matching with")
    ] = False,
    accept: Annotated[
        tuple[str, ...] | None,
        Parameter(negative=(), help="a source whose new files go through the gate however they differ; may be given again"),
    ] = None,
    wait: WaitOption = None,
    format: Annotated[Literal["text", "json"], Parameter(help="how the report is printed")] = "text",
) -> int:
    """Land, stage, clean, match, merge, check and publish; print what came of it.

    Files given stay in the lake until `paperlake forget`: a later run adds to them. A run with nothing new publishes
    nothing.

    Example: paperlake run list.csv pages/ --direct
    """
    from flows.commands import run_command

    request = run_command.RunRequest(
        paths,
        lake,
        direct=direct,
        rehash=rehash,
        strict=strict,
        without_identifiers=without_identifiers,
        accept=tuple(accept or ()),
        wait_seconds=wait,
    )
    if dry_run:
        return run_command.print_dry_run(request, as_json=format == "json")
    return run_command.run_and_print(request, as_json=format == "json")


@app.command
def tables(
    table: Annotated[str | None, Parameter(help="a table, to see its columns")] = None,
    /,
    *,
    lake: LakeOption = None,
    at: AtOption = None,
    format: FormatOption = "table",
) -> int:
    """List the tables, or the columns of one, with their meaning.

    Example: paperlake tables papers
    """
    from flows.commands import read_commands

    return read_commands.print_tables(table, lake, format, at=at)


@app.command
def rejects(
    reason: Annotated[str | None, Parameter(help="show only rejects with this reason")] = None,
    /,
    *,
    lake: LakeOption = None,
    at: AtOption = None,
    format: FormatOption = "table",
) -> int:
    """List what could not become a clean record: where it stands, why, and its text.

    Example: paperlake rejects ragged_row --format csv
    """
    from flows.commands import read_commands

    return read_commands.print_rejects(reason, lake, format, at=at)


@app.command
def ledger(*, lake: LakeOption = None, at: AtOption = None, format: FormatOption = "table") -> int:
    """Show for every raw file what went in and what became of it; exit code 1 if a file does not balance.

    Example: paperlake ledger
    """
    from flows.commands import read_commands

    return read_commands.print_ledger(lake, format, at=at)


@app.command
def matches(
    *,
    possible: Annotated[
        bool, Parameter(negative=(), help="show pairs that may be one paper, the likeliest first: as --status possible")
    ] = False,
    status: Annotated[
        Literal["match", "version", "possible", "no"] | None, Parameter(help="show only pairs that matching says this of")
    ] = None,
    reason: Annotated[str | None, Parameter(help="show only pairs with this reason")] = None,
    paper: Annotated[
        str | None, Parameter(help="show only pairs with a record of this paper: its id, or the id's start")
    ] = None,
    limit: Annotated[int, Parameter(help="how many pairs at most; 0 for all")] = 20,
    lake: LakeOption = None,
    at: AtOption = None,
    format: FormatOption = "table",
) -> int:
    """List pairs of records and what matching says of them, both records side by side, as their sources give them.

    Those most worth a look stand first: of pairs that are no match the most alike, of matches the least alike.

    Example: paperlake matches --possible
    """
    from flows.commands import match_commands

    request = match_commands.MatchesRequest(status, possible, reason, paper, limit)
    return match_commands.print_matches(request, lake, format, at=at)


@app.command
def decide(
    first: Annotated[str, Parameter(help="a record: its key or the key's start, its id; or a paper by its id")],
    second: Annotated[str, Parameter(help="another")],
    verdict: Annotated[Literal["same", "different"], Parameter(help="whether they describe one paper")],
    /,
    *,
    because: Annotated[str, Parameter(help="why, for whoever reads the decision later")],
    lake: LakeOption = None,
    wait: WaitOption = None,
) -> int:
    """Overrule matching: say that two records describe one paper, or two; the next run and all later ones keep to it.

    The line is added to decisions.csv in the lake, where it can be changed or deleted. A paper stands for its record of the
    least key: to take a paper apart, give the keys of two of its records. A decision that contradicts others is refused.

    Example: paperlake decide k4baa1fddc522 p1365c7772c1131f9 same --because "the DOI in the list is a misprint"
    """
    from flows.commands import decide_command

    return decide_command.decide(first, second, verdict, because, lake, wait_seconds=wait)


@app.command
def decisions(*, lake: LakeOption = None, at: AtOption = None, format: FormatOption = "table") -> int:
    """List what people have decided, with its lines in decisions.csv.

    Example: paperlake decisions
    """
    from flows.commands import decide_command

    return decide_command.print_decisions(lake, format, at=at)


@app.command
def inspect(
    path: Annotated[Path, Parameter(help="a file, or a folder of them")],
    /,
    *paths: Annotated[Path, Parameter(help="more of the same; several files are told in a line each")],
    source: Annotated[str | None, Parameter(help="read it as a file of this block of config/sources.toml")] = None,
    records: Annotated[int, Parameter(help="how many of the first records to show")] = 3,
    format: Annotated[Literal["text", "json"], Parameter(help="how it is printed")] = "text",
) -> int:
    """Tell what a file is, what is in it and where each of its columns goes; land nothing.

    Exit code 1 if a file is no list of papers that can be read.

    Example: paperlake inspect list.csv
    """
    from flows.commands import inspect_command

    return inspect_command.inspect_files((path, *paths), source, records, as_json=format == "json")


@app.command
def formats(
    name: Annotated[str | None, Parameter(help="a format or shape, to see its example and where its columns go")] = None,
    /,
    *,
    format: FormatOption = "table",
) -> int:
    """List the formats and the shapes of records that are read, each with an example.

    Example: paperlake formats openalex_work
    """
    from flows.commands import formats_command

    return formats_command.print_formats(name, format)


@app.command
def catalog(*, lake: LakeOption = None) -> int:
    """Write the lake's paperlake.duckdb anew, for any DuckDB client; it is derived and can be deleted.

    Example: paperlake catalog
    """
    from flows.commands import lake_commands

    return lake_commands.rebuild_catalog(lake)


@app.command
def forget(
    name: Annotated[str, Parameter(help="a source; a file, archive or folder by name or path; or a hash (8 digits or more)")],
    /,
    *names: Annotated[str, Parameter(help="more of the same")],
    lake: LakeOption = None,
    erase: Annotated[bool, Parameter(negative=(), help="delete the files from raw/ too")] = False,
    wait: WaitOption = None,
) -> int:
    """Take raw files out of the live set; the next run publishes without them.

    Example: paperlake forget old_list.csv
    """
    from flows.commands import lake_commands

    return lake_commands.forget_files((name, *names), lake, erase=erase, wait_seconds=wait)


# Commands that stand in modules of their own.
app.command(sql)
app.command(releases)
app.command(diff)
app.command(rollback)
app.command(unpin)
app.command(verify)
app.command(prune)
app.command(check)
app.command(query)
app.command(show)
app.command(profile)
app.command(export)
app.command(status)
app.command(doctor)
app.command(serve)
app.command(replay)
app.command(sources)


def main() -> None:
    """Runs the command line and exits with its code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # titles are not to depend on the terminal's locale
    from flows.commands import read_commands

    read_commands.owns_process = True
    words = sys.argv[1:]
    debug = "--debug" in words
    if debug:
        words.remove("--debug")
    sys.exit(call(words, debug=debug))


def call(words: list[str], *, debug: bool = False) -> int:
    """The exit code of a command line; errors go to standard error as a sentence, with `debug` as a stack trace."""
    from flows import run_log

    try:
        words, log_format = run_log.take_log_format(words)
    except run_log.LogFormatError as error:
        return _explain(error)
    token = run_log.chosen_format.set(log_format)
    try:
        return _call(words, debug=debug)
    finally:
        run_log.chosen_format.reset(token)


def _call(words: list[str], *, debug: bool) -> int:
    from flows import run_log

    as_json = run_log.chosen_format.get() == "json"
    if "" in words:
        # A path of no letters would be the folder that one is in: not what a script with an unset variable means.
        return _fail("an argument is empty: give it a value, or leave it out", 2)
    if words and words[0].startswith("-") and words[0] not in (*app.help_flags, *app.version_flags):
        return _fail(f"{words[0]} comes before a command: options stand after it, as in `paperlake tables --lake FOLDER`", 2)
    try:
        command, bound, _ = app.parse_args(words, print_error=not as_json, exit_on_error=False)
    except CycloptsError as error:
        return _fail(str(error), 2, error) if as_json else 2
    code: int = 0
    try:
        with quiet_when_reader_leaves(sys.stdout):
            code = command(*bound.args, **bound.kwargs)
    except SystemExit:
        return 0  # rich's way to say that the reader of its output has left
    except KeyboardInterrupt as error:
        return _fail(_INTERRUPTED, 130, error)
    except Exception as error:
        if debug:
            raise
        if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
            return _fail(_INTERRUPTED, 130, error)
        return _explain(error)
    return code


_INTERRUPTED = "interrupted; the current release is as it was"


def _explain(error: Exception) -> int:
    """Prints an error as a sentence and gives its exit code."""
    import errno
    import os

    from transforms.schemas import PaperlakeError

    code = 1
    if isinstance(error, PaperlakeError):
        text, code = str(error), error.exit_code
    elif getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or os.strerror(errno.ENOSPC) in str(error):
        text = (
            "no space left on the disk of the lake, or of the output; free some and try again: the current release is as it was"
        )
    else:
        text = f"{type(error).__name__}: {error} (run again with --debug for the stack trace)"
    return _fail(text, code, error)


def _fail(text: str, code: int, error: BaseException | None = None) -> int:
    """Says on standard error what failed; gives the exit code."""
    from flows import run_log
    from warehouse.row_tables import printable

    if run_log.chosen_format.get() == "json":
        run_log.log_failure(error, text, code)
    else:
        shown = "\n".join(printable(line) for line in text.split("\n"))  # it may quote a value of the lake
        print(f"paperlake: {shown}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
