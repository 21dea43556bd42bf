"""A download that ended early goes on where it ended, if what it goes on with is the same file."""

from __future__ import annotations

import base64
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

BODY = b"title,year\n" + b"".join(b"On the %d tides of an inland sea,2001\n" % n for n in range(20_000))
CUT = 500_000
OVERLAP = 65_536


def test_the_next_attempt_asks_for_the_rest_and_a_little_before_it(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", answers.serves(BODY, cut_at=CUT), answers.serves(BODY))
    assert desk.content(desk.fetch(address)) == BODY
    assert server.asked("range") == [None, f"bytes={CUT - OVERLAP}-"]
    assert server.asked("if-range") == [None, '"1"']
    assert server.sent_bytes < len(BODY) + OVERLAP + 500


def test_every_attempt_goes_on_from_the_last(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", *[answers.serves(BODY, cut_at=300_000)] * 4)
    assert desk.content(desk.fetch(address)) == BODY
    assert [bool(asked) for asked in server.asked("range")] == [False, True, True, True]


def test_the_next_run_goes_on_where_all_attempts_of_the_last_failed(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", answers.serves(BODY, cut_at=CUT), answers.says(503))
    assert "status 503" in desk.fetch(address).failed
    server.at("/a.csv", answers.serves(BODY))
    server.sent_bytes = 0
    assert desk.content(desk.fetch(address)) == BODY
    assert server.sent_bytes < len(BODY) - CUT + OVERLAP + 500


def test_what_was_fetched_and_not_landed_is_not_fetched_again(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", answers.serves(BODY))
    desk.fetch(address)
    server.sent_bytes = 0
    assert desk.land(desk.fetch(address)) == [("a.csv", len(BODY))]
    assert server.sent_bytes < 200


def changed(at: int) -> bytes:
    return BODY[:at] + b"X" + BODY[at + 1 :]


def ranged(answers: Any, body: bytes, start: int, said: str, **headers: Any) -> Any:
    return answers.says(206, body[start:], Content_Range=said, **headers)


@pytest.mark.parametrize(
    ("second", "asked"),
    [
        (lambda a: a.says(200, BODY), 2),  # ranges are ignored
        (lambda a: ranged(a, BODY, CUT, f"bytes {CUT}-{len(BODY) - 1}/{len(BODY)}"), 3),  # not where it was asked
        (lambda a: ranged(a, BODY, CUT - OVERLAP, f"bytes {CUT - OVERLAP}-{len(BODY)}/{len(BODY) + 1}"), 3),  # another length
        (lambda a: ranged(a, BODY, CUT - OVERLAP, f"bytes {CUT - OVERLAP}-{len(BODY) - 1}/*"), 3),
        (lambda a: ranged(a, BODY, CUT - OVERLAP, "lines 1-2/3"), 3),
        (lambda a: ranged(a, BODY, CUT - OVERLAP, f"bytes {CUT - OVERLAP}-{len(BODY) - 1}/{len(BODY)}", ETag='"2"'), 3),
        (lambda a: a.serves(changed(CUT - 9)), 3),  # other content under one ETag
        (lambda a: a.says(416), 3),
        (lambda a: a.serves(BODY, etag='"2"'), 2),  # If-Range does not hold
        (lambda a: a.says(206, BODY[CUT - OVERLAP : CUT + 9], Content_Range=f"bytes {CUT - OVERLAP}-{CUT + 8}/{len(BODY)}"), 3),
    ],
)
def test_what_does_not_fit_what_is_there_is_not_joined_to_it(
    desk: Any, server: Any, answers: Any, second: Any, asked: int
) -> None:
    address = server.at("/a.csv", answers.serves(BODY, cut_at=CUT), second(answers), answers.serves(BODY))
    assert desk.content(desk.fetch(address)) == BODY
    assert len(server.requests) == asked


def test_content_that_changed_under_one_etag_comes_as_the_new_one(desk: Any, server: Any, answers: Any) -> None:
    new = changed(CUT - 9)
    assert desk.content(desk.fetch(server.at("/a.csv", answers.serves(BODY, cut_at=CUT), answers.serves(new)))) == new


def test_content_that_changed_before_the_overlap_is_found_by_its_digest(desk: Any, server: Any, answers: Any) -> None:
    new = changed(9)
    said = f"sha-256=:{base64.b64encode(hashlib.sha256(new).digest()).decode()}:"
    address = server.at("/a.csv", answers.serves(BODY, cut_at=CUT), answers.serves(new, Repr_Digest=said))
    assert desk.content(desk.fetch(address)) == new


@pytest.mark.parametrize(
    ("headers", "is_resumed"),
    [
        ({"etag": 'W/"1"'}, False),
        ({"etag": None}, False),
        ({"etag": None, "Last_Modified": "Tue, 01 Sep 2026 10:00:00 GMT"}, False),  # without a date of the answer
        ({"etag": None, "Last_Modified": "Tue, 01 Sep 2026 10:00:00 GMT", "Date": "Tue, 01 Sep 2026 10:00:30 GMT"}, False),
        ({"etag": None, "Last_Modified": "Tue, 01 Sep 2026 10:00:00 GMT", "Date": "Tue, 01 Sep 2026 11:00:00 GMT"}, True),
    ],
)
def test_only_what_tells_one_content_from_the_next_is_gone_on_with(
    desk: Any, server: Any, answers: Any, headers: dict[str, Any], is_resumed: bool
) -> None:
    address = server.at("/a.csv", answers.serves(BODY, cut_at=CUT, **headers), answers.says(200, BODY))
    assert desk.content(desk.fetch(address)) == BODY
    assert (server.asked("range")[1] is not None) == is_resumed


def test_parts_of_addresses_that_no_source_has_any_more_are_removed(desk: Any, server: Any, answers: Any) -> None:
    old = server.at("/old.csv", answers.serves(BODY, cut_at=CUT), answers.says(404))
    desk.fetch(old)
    assert len(list((desk.lake.state_dir / "fetching").iterdir())) == 2
    desk.fetch(server.at("/new.csv", answers.says(404)))
    assert not list((desk.lake.state_dir / "fetching").iterdir())


def test_a_run_that_is_killed_while_it_fetches_is_gone_on_with_by_the_next(
    tmp_path: Path, server: Any, answers: Any, project: Path
) -> None:
    big = b"title,year,abstract\n" + b"".join(b"On tide %d,2001,%s\n" % (n, b"All of it is water. " * 5_000) for n in range(32))
    slow = [piece for start in range(0, len(big), 100_000) for piece in (big[start : start + 100_000], 0.05)]
    first = [answers.head(200, {"ETag": '"1"', "Content-Length": len(big)}), *slow]
    address = server.at("/tides.csv", lambda _: first, answers.serves(big))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    (tmp_path / "config" / "pipeline.toml").write_text("[fetch]\nrequests_per_minute = 0\n")
    (tmp_path / "config" / "sources.toml").write_text(f'[sources.club]\nlocation = "{address}"\n')
    words = [sys.executable, "-m", "flows.cli", "run", "--direct", "--lake", str(tmp_path / "lake")]
    environment = os.environ | {"PAPERLAKE_CONFIG": str(tmp_path / "config")}
    started = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while server.sent_bytes < 1_500_000 and time.monotonic() < until and started.poll() is None:
        time.sleep(0.01)
    started.send_signal(signal.SIGKILL)
    started.wait()
    time.sleep(0.2)
    (part,) = (path for path in (tmp_path / "lake" / "state" / "fetching").iterdir() if not path.suffix)
    have, server.sent_bytes = part.stat().st_size, 0
    assert have > 1_000_000
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert server.asked("range")[1] == f"bytes={have - OVERLAP}-"
    assert server.sent_bytes < len(big) - have + OVERLAP + 500
    assert {path.stat().st_size for path in (tmp_path / "lake" / "raw").glob("*/*")} == {len(big)}
