"""Where a fetch may lead, and that no secret is seen anywhere but by the server it is for."""

from __future__ import annotations

import dataclasses
import datetime
import ipaddress
import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.settings import ConfigError, load_settings
from flows.sources import fetch_http
from flows.sources.fetch_secrets import Secrets

SECRET = "s3cret+/=token"
QUOTED = "s3cret%2B%2F%3Dtoken"
BODY = b"title,year\nOn the tides of an inland sea,2001\n"
BEARER = 'headers = {Authorization = "Bearer ${CLUB_TOKEN}"}\n'


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUB_TOKEN", SECRET + "\n")


def test_a_redirect_is_followed_and_the_file_keeps_the_name_of_its_address(desk: Any, server: Any, answers: Any) -> None:
    server.at("/cdn/7f3a", answers.serves(BODY))
    address = server.at("/a.csv", answers.says(302, Location="/cdn/7f3a?sig=1"))
    assert desk.land(desk.fetch(address)) == [("a.csv", len(BODY))]
    assert desk.fetch(address).unchanged


def test_redirects_end_at_the_bound(desk: Any, server: Any, answers: Any) -> None:
    for number in range(9):
        address = server.at(f"/{number}.csv", answers.says(307, Location=f"/{number - 1}.csv"))
    server.at("/0.csv", answers.serves(BODY))
    assert "more than redirects = 5 times" in desk.fetch(address).failed
    assert desk.fetch(address, "fetch = {redirects = 8}\n").failed is None


@pytest.mark.parametrize(("is_far_public", "is_followed"), [(True, False), (False, True)])
def test_a_public_host_may_not_lead_into_a_private_network(
    desk: Any,
    start: Callable[..., Any],
    answers: Any,
    monkeypatch: pytest.MonkeyPatch,
    is_far_public: bool,
    is_followed: bool,
) -> None:
    """The first host stands for a public one; only 127.0.0.2 is private here."""
    monkeypatch.setattr(fetch_http, "is_private", lambda host: host == "127.0.0.2" or not is_far_public)
    far, near = start(), start("127.0.0.2")
    result = desk.fetch(far.at("/a.csv", answers.says(302, Location=near.at("/a.csv", answers.serves(BODY)))))
    assert (result.failed is None) == is_followed
    assert is_followed or "in a private network" in result.failed
    assert len(near.requests) == is_followed


def test_a_name_that_stands_for_a_private_number_is_found_when_connected(
    desk: Any, start: Callable[..., Any], answers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    far, near = start(), start("127.0.0.2")
    target = near.at("/a.csv", answers.serves(BODY))
    asked = iter([False, False, True])  # the first host's number, the second's name, the second's number
    monkeypatch.setattr(fetch_http, "is_private", lambda host: next(asked))
    assert "which is 127.0.0.2, in a private network" in desk.fetch(far.at("/a.csv", answers.says(302, Location=target))).failed
    assert near.requests == []


def test_a_secret_is_sent_to_its_own_server_only(desk: Any, start: Callable[..., Any], answers: Any) -> None:
    own, other = start(), start()
    own.at("/b.csv", answers.says(302, Location=other.at("/c.csv", answers.serves(BODY))))
    result = desk.fetch(own.at("/a.csv", answers.says(302, Location="/b.csv")) + "?key=${CLUB_TOKEN}", BEARER)
    assert desk.content(result) == BODY
    assert own.asked("authorization") == [f"Bearer {SECRET}"] * 2
    assert other.asked("authorization") == [None]
    assert own.requests[0].path == f"/a.csv?key={QUOTED}"


EVIL = {
    "status": lambda a: a.says(403, SECRET.encode()),
    "redirect": lambda a: a.says(302, Location=f"https://127.0.0.1:1/{QUOTED}?key={QUOTED}"),
    "circle": lambda a: a.says(302, Location=f"/a.csv?key={QUOTED}"),
    "plain redirect": lambda a: a.says(302, Location=f"http://example.org/{SECRET}"),
    "file": lambda a: a.says(302, Location=f"file:///{SECRET}"),
    "broken": lambda a: lambda _: [f"HTTP/1.1 {SECRET}\r\n\r\n".encode()],
    "encoding": lambda a: a.says(200, BODY, Content_Encoding=SECRET),
    "content": lambda a: a.says(200, f"title,year\nSee {QUOTED},2001\n".encode()),
    "content over two chunks": lambda a: a.says(200, b" " * (2**20 - 5) + SECRET.encode()),
    "upper case": lambda a: a.says(200, BODY, Content_Encoding=SECRET.upper()),
    "range": lambda a: a.says(206, BODY, Content_Range=SECRET),
    "validator": lambda a: a.serves(BODY, etag=f'"{SECRET}"'),
    "cut": lambda a: a.serves(BODY, cut_at=9, etag=f'"{QUOTED}"', Last_Modified=SECRET),
}


@pytest.mark.parametrize("evil", EVIL)
def test_no_secret_is_in_a_message_a_log_or_the_lake(
    desk: Any, server: Any, answers: Any, caplog: pytest.LogCaptureFixture, evil: str
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.http11", "httpcore.connection"):
        caplog.set_level(logging.DEBUG, logger=name)
    address = server.at("/a.csv", EVIL[evil](answers)) + "?key=${CLUB_TOKEN}"
    result = desk.fetch(address, BEARER + "fetch = {attempts = 2}\n")
    if result.failed is None:
        desk.land(result)
    else:
        assert result.failed.startswith(address)
    shown = repr(result) + caplog.text + "".join(map(str, (record.__dict__ for record in caplog.records)))
    kept = b"".join(path.read_bytes() for path in desk.lake.path.rglob("*") if path.is_file())
    for form in (SECRET, QUOTED):
        assert form.casefold() not in shown.casefold()
        assert form.lower().encode() not in kept.lower()
    assert server.asked("authorization")[0] == f"Bearer {SECRET}"


def test_without_the_silence_httpx_would_log_the_secret(
    desk: Any, server: Any, answers: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Guards the test above: it must be able to fail."""
    monkeypatch.setattr(fetch_http, "_LOGGERS", ())
    caplog.set_level(logging.DEBUG)
    desk.fetch(server.at("/a.csv", answers.serves(BODY)) + "?key=${CLUB_TOKEN}")
    assert QUOTED in caplog.text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "the environment variable CLUB_TOKEN, which its block names, is not set: set it where paperlake runs"),
        ("  ", "which its block names, is empty"),
        ("two\nlines", r"the value of ${CLUB_TOKEN} cannot stand there"),
        ("pässword", r"the value of ${CLUB_TOKEN} cannot stand there"),
    ],
)
def test_a_secret_that_is_not_to_be_had_is_a_failure_of_its_source_alone(
    desk: Any, server: Any, answers: Any, monkeypatch: pytest.MonkeyPatch, value: str | None, message: str
) -> None:
    monkeypatch.delenv("CLUB_TOKEN")
    if value is not None:
        monkeypatch.setenv("CLUB_TOKEN", value)
    assert message in desk.fetch(server.at("/a.csv", answers.serves(BODY)), BEARER).failed
    assert server.requests == []


def test_a_secret_of_a_block_is_filled_in_and_one_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block is loaded from Prefect's API elsewhere; here it stands for itself."""
    from prefect.blocks.system import Secret

    from flows.sources.fetch_secrets import SecretError

    def load(name: str, **_: Any) -> Any:
        if name != "club-token":
            raise ValueError(f"Unable to find block document named {name}")
        return Secret(value=SECRET)

    monkeypatch.setattr(Secret, "load", load)
    secrets = Secrets()
    assert secrets.filled("Bearer ${block:club-token}") == f"Bearer {SECRET}"
    assert secrets.redacted(f"x {SECRET} y {QUOTED}") == "x ${block:club-token} y ${block:club-token}"
    with pytest.raises(
        SecretError, match=r"the Secret block 'other' of Prefect.*could not be had \(there is none of that name\)"
    ):
        secrets.filled("${block:other}")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ('location = "https://ann:pa/ss@example.org/a.csv"', r"'https://…@example.org/a.csv' (has a user|is no address)"),
        ('location = "https://ann:pass@example.org/a.csv"', "has a user or password in it, and this file is no place for them"),
        ('location = "http://example.org/a.csv"', "http:// is for this machine alone"),
        ('location = "ftp://example.org/a.csv"', "should be an address that begins with https://"),
        ('location = "https:///a.csv"', "should be an address that begins with https://"),
        ('location = "https://example.org:99999/a.csv"', "is no address"),
        ('location = "https://example.org/a b.csv"', "has characters that an address cannot have"),
        ('location = "https://example.org/${TOKEN}/a.csv"', "a secret may stand in the query only"),
        ('location = "https://example.org/a.csv?k=${TO-KEN}"', r"\$\{TO-KEN\} names no secret"),
        ('location = "https://example.org/"', 'ends in no name of a file; add file_name = "…"'),
        ('location = ["https://a.org/x.csv", "https://b.org/x.csv"]', "two files called x.csv, from https://a.org/x.csv and"),
        ('location = ["https://a.org/x.csv", 5]', "location should be a text or a list of texts; it has 5"),
        ("location = []", 'needs location = "…"'),
        ('location = "https://a.org/x.csv"\nfile_name = "../x"', "should be the plain name of a file"),
        ('location = ["https://a.org/x.csv", "y"]\nfile_name = "x"', "file_name names one file, and location has 2"),
        ('location = "https://a.org/x.csv"\nsha256 = "abc"', "sha256 of x.csv should be 64 digits"),
        ('location = ["https://a.org/x.csv", "y"]\nsha256 = "abc"', "sha256 is one text for 2 locations"),
        ('location = "https://a.org/x.csv"\nsha256 = {"y.csv" = "abc"}', "there is no file 'y.csv'; there is x.csv"),
        (
            'location = "https://a.org/x.csv"\nheaders = {Authorization = "Bearer abc"}',
            "Authorization is a secret, and this file",
        ),
        ('location = "https://a.org/x.csv"\nheaders = {Range = "bytes=0-1"}', "Range is set by paperlake itself"),
        ('location = "https://a.org/x.csv"\nheaders = {"a b" = "x"}', "'a b' is no name of a header"),
        ('location = "https://a.org/x.csv"\nheaders = {Accept = "a\\nb"}', "should be a text of printed ASCII characters"),
        ('location = "https://a.org/x.csv"\nheaders = {Accept = 5}', "should be a text of printed ASCII characters"),
        ('location = "https://a.org/x.csv"\nheaders = {X = "${"}', r"\$\{ names no secret"),
        ('location = "https://a.org/x.csv"\nfetch = {attempt = 5}', r"fetch: unknown key 'attempt'. Did you mean 'attempts'"),
        ('location = "https://a.org/x.csv"\nfetch = {attempts = 0}', r"fetch: attempts = 0 would let nothing be fetched"),
        ('location = "https://a.org/x.csv"\nfetch = {total_seconds = nan}', "total_seconds = nan should be a finite number"),
        ('location = "lists"\nrecords_drop_ratio = 1.5', "records_drop_ratio = 1.5 is a share, from 0 to 1"),
        ('location = "lists"\nheaders = {Accept = "x"}', "headers is for addresses, and location has none"),
    ],
)
def test_a_block_that_cannot_be_asked_for_is_a_wrong_setting(tmp_path: Path, block: str, message: str) -> None:
    (tmp_path / "sources.toml").write_text(f"[sources.club]\n{block}\n")
    with pytest.raises(ConfigError, match=message) as caught:
        load_settings(tmp_path)
    assert "pass" not in str(caught.value).replace("password", "")


def test_a_block_overrides_the_bounds_and_limits_that_it_sets(tmp_path: Path) -> None:
    (tmp_path / "pipeline.toml").write_text(
        "[gate]\nsize_change_ratio = 0.5\n[fetch]\nattempts = 3\n[limits]\nfile_bytes = 99\n"
    )
    (tmp_path / "sources.toml").write_text(
        '[sources.a]\nlocation = "https://a.org/x.csv"\nrecords_drop_ratio = 0\nhold_changed_columns = false\n'
        'fetch = {redirects = 1}\n[sources.b]\nlocation = "https://a.org/x.csv"\n'
    )
    settings = load_settings(tmp_path)
    a, b = settings.sources
    assert dataclasses.astuple(settings.gate_bounds(a)) == (0.5, 0, False)
    assert dataclasses.astuple(settings.gate_bounds(b)) == (0.5, 0.15, True)
    assert [(fetch.attempts, fetch.redirects, fetch.bytes) for fetch in map(settings.fetch_settings, (a, b))] == [
        (3, 1, 99),
        (3, 5, 99),
    ]


def test_neither_bounds_nor_limits_nor_headers_have_a_say_in_the_tables(tmp_path: Path) -> None:
    def key(pipeline: str, block: str) -> str:
        (tmp_path / "pipeline.toml").write_text(pipeline)
        (tmp_path / "sources.toml").write_text(f'[sources.a]\nlocation = "https://a.org/x.csv"\n{block}')
        return load_settings(tmp_path).tables_key

    plain = key("", "")
    assert (
        key("[gate]\nsize_change_ratio = 9\n[fetch]\nattempts = 9\n", "headers = {Accept = 'x'}\nsize_change_ratio = 1")
        == plain
    )
    assert key("", "precedence = 1") != plain


@pytest.mark.parametrize(
    ("name", "value"), [("HTTPS_PROXY", "what://ann:s3cret@nowhere"), ("SSL_CERT_FILE", "/no/such/file.pem")]
)
def test_an_environment_that_cannot_be_used_is_said_without_its_secrets(
    desk: Any, server: Any, answers: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    failed = desk.fetch(server.at("/a.csv", answers.serves(BODY))).failed
    assert "what the environment says of proxies or certificates cannot be used" in failed
    assert "s3cret" not in failed


def test_encrypted_servers_are_asked_if_their_certificate_is_trusted_and_only_then(
    desk: Any, start: Callable[..., Any], answers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, authority = _certificate(tmp_path)
    server = start(tls=context)
    address = server.at("/a.csv", answers.serves(BODY))
    failed = desk.fetch(address).failed
    assert "the server's certificate is not trusted" in failed
    assert desk.waits.slept == []
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    assert desk.content(desk.fetch(address)) == BODY
    server.at("/a.csv", answers.says(200, BODY, length=9), answers.serves(BODY))
    assert desk.content(desk.fetch(address, rehash=True)) == BODY


def test_an_encrypted_server_may_not_lead_to_one_that_is_not(
    desk: Any, start: Callable[..., Any], answers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, authority = _certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    plain = start()
    address = start(tls=context).at("/a.csv", answers.says(302, Location=plain.at("/a.csv", answers.serves(BODY))))
    assert "is not encrypted; only https:// is followed" in desk.fetch(address).failed
    assert plain.requests == []


def _certificate(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """What a server of 127.0.0.1 shows, and the file of who vouches for it: the server itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "paperlake tests")])
    now = datetime.datetime.now(datetime.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(built.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private)
    return context, certificate
