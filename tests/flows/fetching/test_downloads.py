"""A file from an address: whole or not at all, whatever the server does."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from flows.sources.fetch_state import FetchMemory

BODY = b"title,year\n" + b"".join(b"On the %d tides of an inland sea,2001\n" % n for n in range(20_000))
CUT = 500_000


def test_a_file_is_fetched_and_not_sent_again_while_its_server_says_it_is_unchanged(
    desk: Any, server: Any, answers: Any
) -> None:
    address = server.at("/lists/tides.csv", answers.serves(BODY))
    first = desk.fetch(address)
    assert desk.content(first) == BODY
    assert desk.land(first) == [("tides.csv", len(BODY))]
    sent = server.sent_bytes
    again = desk.fetch(address)
    assert ([name.source_path for name in again.unchanged], again.fetched) == (["tides.csv"], [])
    assert server.asked("if-none-match") == [None, '"1"']
    assert server.sent_bytes - sent < 200
    assert not list((desk.lake.state_dir / "fetching").iterdir())


def test_a_server_without_etags_is_asked_by_date(desk: Any, server: Any, answers: Any) -> None:
    date = "Tue, 01 Sep 2026 10:00:00 GMT"
    address = server.at("/a.csv", answers.says(200, BODY, Last_Modified=date), answers.says(304))
    desk.land(desk.fetch(address))
    assert [name.size_bytes for name in desk.fetch(address).unchanged] == [len(BODY)]
    assert server.asked("if-modified-since") == [None, date]


def test_what_is_gone_from_the_lake_is_asked_for_in_full_and_so_it_is_with_rehash(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", answers.serves(BODY))
    desk.land(desk.fetch(address))
    rehashed = desk.fetch(address, rehash=True)
    assert desk.content(rehashed) == BODY
    desk.land(rehashed)
    desk.lake.raw_path(hashlib.sha256(BODY).hexdigest()).unlink()
    assert desk.content(desk.fetch(address)) == BODY
    assert server.asked("if-none-match") == [None, None, None]


def test_an_archive_is_unchanged_as_the_files_in_it(desk: Any, server: Any, answers: Any, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "lists.zip", "w") as archive:
        archive.writestr("a.csv", "title\nOne\n")
        archive.writestr("b/c.csv", "title\nTwo\n")
    address = server.at("/lists.zip", answers.serves((tmp_path / "lists.zip").read_bytes()))
    assert desk.land(desk.fetch(address)) == [("lists.zip/a.csv", 10), ("lists.zip/b/c.csv", 10)]
    assert [name.source_path for name in desk.fetch(address).unchanged] == ["lists.zip/a.csv", "lists.zip/b/c.csv"]


def digest(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


@pytest.mark.parametrize(
    ("bad", "waited"),
    [
        (lambda a: a.says(500), [1.0]),
        (lambda a: a.says(503, Retry_After="7"), [7.0]),
        (lambda a: a.says(429, Retry_After="7"), [7.0]),
        (lambda a: a.says(429), [1.0]),
        (lambda a: a.says(304), [1.0]),
        (lambda a: a.says(206, BODY), [1.0]),
        (lambda a: lambda _: [], [1.0]),
        (lambda a: lambda _: [b"HTTP/1.1 2"], [1.0]),
        (lambda a: lambda _: [b"no HTTP at all\r\n\r\n"], [1.0]),
        (lambda a: lambda _: [None], [1.0]),
        (lambda a: a.says(200, BODY[:CUT], length=len(BODY)), [1.0]),
        (lambda a: a.says(200, BODY, length=len(BODY) + 1), [1.0]),
        (lambda a: a.says(200, BODY, length=len(BODY) - 1), [1.0]),
        (lambda a: a.says(200, b"title\nOne\nTwo\n", length=10), [1.0]),
        (lambda a: a.says(200, b"5\r\ntitle\r\n", length=None, Transfer_Encoding="chunked"), [1.0]),
        (lambda a: a.says(200, BODY, Repr_Digest=f"sha-256=:{digest(b'other')}:"), [1.0]),
        (lambda a: a.says(200, BODY, Digest=f"SHA-256={digest(b'other')}"), [1.0]),
        (lambda a: a.says(200, BODY, Content_MD5=base64.b64encode(hashlib.md5(b"other").digest()).decode()), [1.0]),
    ],
)
def test_what_may_pass_is_tried_again_after_a_wait(desk: Any, server: Any, answers: Any, bad: Any, waited: list[float]) -> None:
    address = server.at("/a.csv", bad(answers), answers.serves(BODY))
    assert desk.content(desk.fetch(address)) == BODY
    assert desk.waits.slept == waited
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "good",
    [
        lambda a: a.says(200, BODY, Repr_Digest=f"sha-256=:{digest(BODY)}:"),
        lambda a: a.says(200, BODY, Digest=f"SHA-256={digest(BODY)},unixsum=3"),
        lambda a: a.says(200, BODY, Content_MD5=base64.b64encode(hashlib.md5(BODY).digest()).decode()),
        lambda a: a.says(200, b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), length=None, Transfer_Encoding="chunked"),
        lambda a: a.says(200, BODY, Content_Encoding="identity"),
        lambda a: lambda _: [b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n", a.head(200, {"Content-Length": len(BODY)}), BODY],
        lambda a: lambda _: [b"HTTP/1.0 100 Go on\r\n\r\nHTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY), BODY],
        lambda a: lambda _: [a.head(200, {"Content-Length": len(BODY)}), BODY[:9], 0.05, BODY[9:]],
    ],
)
def test_what_is_as_it_says_is_taken_at_once(desk: Any, server: Any, answers: Any, good: Any) -> None:
    assert desk.content(desk.fetch(server.at("/a.csv", good(answers)))) == BODY
    assert desk.waits.slept == []


def test_an_etag_that_cannot_be_sent_back_is_none(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", lambda _: [b'HTTP/1.1 200 OK\r\nETag: "\xe9\xff"\r\nContent-Length: 5\r\n\r\ntitle'])
    for _ in range(2):
        assert desk.land(desk.fetch(address)) == [("a.csv", 5)]
    assert server.asked("if-none-match") == [None, None]


def test_an_empty_file_is_fetched_as_it_is(desk: Any, server: Any, answers: Any) -> None:
    assert desk.land(desk.fetch(server.at("/a.csv", answers.serves(b"")))) == [("a.csv", 0)]


@pytest.mark.parametrize(
    ("answer", "message", "asked"),
    [
        (lambda a: a.says(500), r"status 500 \(Internal Server Error\), after 5 attempts; the next run tries again", 5),
        (lambda a: a.says(429, Retry_After="3600"), "asks to wait 3600 s, more than max_backoff_seconds = 120", 1),
        (lambda a: a.says(404), r"status 404 \(Not Found\): look whether the list has moved", 1),
        (lambda a: a.says(401), r"status 401 \(Unauthorized\): it wants a secret; see headers", 1),
        (lambda a: a.says(204), r"status 204 \(No Content\)", 1),
        (lambda a: a.says(299), "status 299", 1),
        (
            lambda a: a.says(200, BODY, length=len(BODY) - 1),
            f"sent more than the {len(BODY) - 1} bytes it announced, after 5",
            5,
        ),
        (lambda a: a.says(200, b"x", length=10**12), "it has 1000000000000 bytes, and at most 1000000 bytes are fetched", 1),
        (lambda a: a.says(200, BODY * 2, length=None), "it has more than that, and at most 1000000 bytes", 1),
        (lambda a: a.says(200, BODY, Content_Encoding="br"), "in the content encoding 'br', although it was asked not to", 1),
        (lambda a: a.says(301), "status 301, a redirect that does not say where to", 1),
        (lambda a: a.says(302, Location="/a.csv"), r"redirects go in a circle, back to http://127\.0\.0\.1:\d+/…", 1),
        (
            lambda a: a.says(302, Location="http://example.org/x?sig=1"),
            r"redirected to http://example\.org/…, which is not encr",
            1,
        ),
        (lambda a: a.says(302, Location="file:///etc/passwd"), "which is no https address", 1),
        (lambda a: a.says(302, Location="https://a:b@example.org/"), r"to https://example\.org/…, with a user or password", 1),
        (lambda a: a.says(302, Location="https://[x"), "a redirect to what is no address", 1),
        (lambda a: a.says(302, Location=f"https://{'a' * 70}.org/x"), "has a host that is no name", 1),
        (lambda a: a.says(302, Location="https://a..b/x"), "has a host that is no name", 1),
        (lambda a: a.says(302, Location="https://xn--/x"), "has a host that is no name", 1),
        (lambda a: lambda _: [b"HTTP/1.1 200 OK\nContent-Length: 5\n\n" + BODY], "sent more than the 5 bytes it announced", 5),
        (
            lambda a: lambda _: [b"HTTP/1.1 200 OK\r\nbad \x1b[31mline\r\n\r\n"],
            "failed: illegal header line, after 5 attempts",
            5,
        ),
    ],
)
def test_what_will_not_pass_is_said_in_a_sentence(
    desk: Any, server: Any, answers: Any, answer: Any, message: str, asked: int
) -> None:
    address = server.at("/a.csv", answer(answers))
    failed = desk.fetch(address, fetch="bytes = 1_000_000\n").failed
    assert failed.startswith(address)
    assert re.search(message, failed), failed
    assert len(server.requests) == asked


def test_the_waits_grow_from_attempt_to_attempt_up_to_the_bound(desk: Any, server: Any, answers: Any) -> None:
    desk.fetch(server.at("/a.csv", answers.says(503)), fetch="attempts = 6\nbackoff_seconds = 3\nmax_backoff_seconds = 20\n")
    assert desk.waits.slept == [3, 6, 12, 20, 20]


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_slow_drip_ends_when_the_time_for_all_of_it_is_over(desk: Any, server: Any, answers: Any, where: str) -> None:
    start = answers.head(200, {"Content-Length": 1_000}) if where == "body" else b"HTTP/1.1 200 OK\r\nX-Slow: "
    address = server.at("/a.csv", lambda _: [start, *([b"x", 0.05] * 1_000)])
    failed = desk.fetch(address, fetch="total_seconds = 0.6\nread_timeout_seconds = 0.5\n").failed
    assert "it took longer than total_seconds = 0.6" in failed
    assert server.sent_bytes < 200


def test_a_server_that_falls_silent_is_asked_again(desk: Any, server: Any, answers: Any) -> None:
    silent = [answers.head(200, {"Content-Length": 1_000}), b"x", 0.5]
    address = server.at("/a.csv", lambda _: silent, answers.serves(BODY))
    assert desk.content(desk.fetch(address, fetch="read_timeout_seconds = 0.15\n")) == BODY


def test_nobody_at_the_port_is_a_failure_of_this_source(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", answers.says(200))
    server.close()
    assert "Connection refused, after 5 attempts" in desk.fetch(address).failed


def test_a_host_is_asked_no_more_often_than_it_may_be(desk: Any, server: Any, answers: Any) -> None:
    addresses = [server.at(f"/{name}.csv", answers.serves(BODY)) for name in "abc"]
    desk.fetch(addresses, "fetch = {requests_per_minute = 30}\n")
    assert len(desk.waits.slept) == 2
    assert all(1 < pause <= 2 for pause in desk.waits.slept)


def test_a_compressed_answer_is_kept_as_it_came_and_noted(desk: Any, server: Any, answers: Any) -> None:
    packed = gzip.compress(BODY)
    result = desk.fetch(server.at("/a.csv", answers.serves(packed, Content_Encoding="gzip")))
    assert desk.content(result) == packed
    assert "it came compressed (gzip)" in result.notes[0]
    assert server.asked("accept-encoding") == ["identity"]


@pytest.mark.parametrize(
    ("path", "kind", "is_noted"),
    [("/a.csv", "text/html; charset=utf-8", True), ("/a.csv", "text/csv", False), ("/a.html", "text/html", False)],
)
def test_a_page_in_place_of_a_list_is_noted(desk: Any, server: Any, answers: Any, path: str, kind: str, is_noted: bool) -> None:
    result = desk.fetch(server.at(path, answers.serves(BODY, Content_Type=kind)))
    assert any("maybe a page, of a login" in note for note in result.notes) == is_noted


def test_a_body_without_any_end_is_noted(desk: Any, server: Any, answers: Any) -> None:
    result = desk.fetch(server.at("/a.csv", answers.says(200, BODY, length=None)))
    assert desk.content(result) == BODY
    assert "did not say how long it is" in result.notes[0]


@pytest.mark.parametrize(("sha256", "is_taken"), [(hashlib.sha256(BODY).hexdigest(), True), ("0" * 64, False)])
def test_a_file_is_what_its_block_says_or_not_taken(desk: Any, server: Any, answers: Any, sha256: str, is_taken: bool) -> None:
    result = desk.fetch(server.at("/a.csv", answers.serves(BODY)), f'sha256 = "{sha256}"\n')
    assert (result.failed is None) == is_taken
    assert is_taken or "and its block says 0000" in result.failed
    assert len(server.requests) == 1


def test_a_damaged_memory_means_that_all_is_fetched_anew_and_said(desk: Any, server: Any, answers: Any) -> None:
    address = server.at("/a.csv", answers.serves(BODY))
    desk.land(desk.fetch(address))
    memory = desk.lake.state_dir / "fetched.json"
    whole = memory.read_text()
    for damaged in (
        "",
        "[]",
        "{",
        "null",
        whole[:-9],
        whole.replace(f'"size_bytes": {len(BODY)}', '"size_bytes": "many"'),
        '{"format": 9}',
    ):
        memory.write_text(damaged)
        assert desk.content(desk.fetch(address)) == BODY
        assert "is damaged: everything that comes from an address is fetched anew" in desk.note
    desk.land(desk.fetch(address))
    assert desk.fetch(address).unchanged
    assert desk.note is None


@pytest.mark.parametrize("block", ['file_name = "b.csv"\n', f'sha256 = "{hashlib.sha256(BODY + BODY).hexdigest()}"\n'])
def test_a_block_that_wants_another_file_than_was_had_asks_for_all_of_it(
    desk: Any, server: Any, answers: Any, block: str
) -> None:
    address = server.at("/a.csv", answers.serves(BODY), answers.serves(BODY + BODY))
    desk.land(desk.fetch(address))
    assert desk.content(desk.fetch(address, block)) == BODY + BODY
    assert server.asked("if-none-match") == [None, None]


def test_the_last_success_is_known_of_the_addresses_a_source_has_now(desk: Any, server: Any, answers: Any) -> None:
    desk.land(desk.fetch([server.at(f"/{name}.csv", answers.serves(BODY)) for name in "ab"]))
    assert [(known.source, known.size_bytes) for known in FetchMemory(desk.lake).all()] == [("club", len(BODY))] * 2
    desk.land(desk.fetch(server.at("/c.csv", answers.serves(BODY[:9]))))
    assert [(known.source, known.size_bytes) for known in FetchMemory(desk.lake).all()] == [("club", 9)]
    assert desk.fetch(server.at("/c.csv", answers.says(404))).failed
    assert [(known.source, known.size_bytes) for known in FetchMemory(desk.lake).all()] == [("club", 9)]
