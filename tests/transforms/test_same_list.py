"""The same list of papers gives the same clean records, whatever format it came in."""

import csv
import io
import json
import sqlite3

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from transforms.clean import SourceDefaults, clean_records

PAPERS = [
    {
        "id": "p1",
        "title": "Sorting Pebbles by Sound",
        "authors": "Ann Lee; Bo Li",
        "year": 2024,
        "venue": "ICLR",
        "abstract": "We sort pebbles, \"quoted\" and\nplain, by the sound they make.",
        "doi": "10.5555/pebbles.1",
        "pages": "1-12",
        "keywords": "pebbles; sound",
        "url": "https://example.org/p1",
        "score": 6.5,
    },
    {
        "id": "p2",
        "title": "Über Kähne: Łódź's Locks & $\\alpha$-Tides",
        "authors": "Łukasz Nowak; van der Berg, Jan; 李雷",
        "year": 2023,
        "venue": "Journal of Ferries",
        "abstract": None,
        "doi": None,
        "pages": "e0815",
        "keywords": None,
        "url": None,
        "score": 7.0,
    },
    {
        "id": "p3",
        "title": "A Stone’s Throw",
        "authors": None,
        "year": None,
        "venue": None,
        "abstract": "Throwing stones, |far| away;\ttwice.",
        "doi": "https://doi.org/10.5555/Stone.3",
        "pages": None,
        "keywords": "stones",
        "url": "https://example.org/p3",
        "score": None,
    },
]  # fmt: skip
ALIASES = pl.DataFrame(schema=dict.fromkeys(("alias", "venue_id", "name", "kind"), pl.String))


def delimited(delimiter: str, encoding: str = "utf-8") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(PAPERS[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(PAPERS)
    return text.getvalue().encode(encoding)


def parquet() -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(PAPERS), content)
    return content.getvalue()


def sqlite() -> bytes:
    database = sqlite3.connect(":memory:")
    columns = list(PAPERS[0])
    database.execute(f"create table papers ({', '.join(columns)})")
    database.executemany(
        f"insert into papers values ({', '.join('?' * len(columns))})", [tuple(paper.values()) for paper in PAPERS]
    )
    database.commit()
    return database.serialize()


def xlsx() -> bytes:
    content = io.BytesIO()
    book = xlsxwriter.Workbook(content, {"in_memory": True, "strings_to_urls": False})
    sheet = book.add_worksheet("papers")
    sheet.write_row(0, 0, list(PAPERS[0]))
    for row, paper in enumerate(PAPERS, 1):
        for column, value in enumerate(paper.values()):
            if value is not None:
                sheet.write(row, column, value)
    book.close()
    return content.getvalue()


FORMATS = {
    "json": lambda: json.dumps(PAPERS, indent=1).encode(),
    "json lines": lambda: "".join(json.dumps(paper, ensure_ascii=False) + "\n" for paper in PAPERS).encode(),
    "csv": lambda: delimited(","),
    "tsv in utf-16": lambda: delimited("\t", "utf-16"),
    "semicolons": lambda: delimited(";"),
    "per cent": lambda: delimited("%"),
    "parquet": parquet,
    "sqlite": sqlite,
    "xlsx": xlsx,
}


def clean(stage, content: bytes) -> pl.DataFrame:
    staged = stage(content)
    assert (staged.facts.verdict, staged.reasons) == ("read", [])
    records = staged.records.with_columns(file_sha256=pl.lit("f00d"))
    cleaned = clean_records(records, source=SourceDefaults("test"), venue_aliases=ALIASES)
    assert cleaned.rejects.is_empty()
    return cleaned.records.drop("record_key")


@pytest.mark.parametrize("form", [name for name in FORMATS if name != "json"])
def test_a_list_gives_the_same_clean_records_in_each_format(stage, form):
    expected, found = (clean(stage, FORMATS[name]()) for name in ("json", form))
    assert found.to_dicts() == expected.to_dicts()


def test_the_clean_records_are_filled(stage):
    found = clean(stage, FORMATS["json"]())
    assert found["title"].to_list()[0] == "Sorting Pebbles by Sound"
    assert [[author["name"] for author in authors] for authors in found["authors"].to_list()] == [
        ["Ann Lee", "Bo Li"], ["Łukasz Nowak", "Jan van der Berg", "李雷"], [],
    ]  # fmt: skip
    assert found["year"].to_list() == [2024, 2023, None]


AUTHORS = [["Ann Lee", "Bo Li"], ["Cy Day"]]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([{"title": title, "authors": names} for title, names in zip("AB", AUTHORS, strict=True)]),
        json.dumps([{"title": t, "authors": [{"name": n} for n in names]} for t, names in zip("AB", AUTHORS, strict=True)]),
        "title,authors\nA,\"['Ann Lee', 'Bo Li']\"\nB,['Cy Day']\n",
        "title,authors\nA,Ann Lee; Bo Li\nB,Cy Day\n",
        'title,authors\nA,"Ann Lee, Bo Li"\nB,Cy Day\n',
        "title,authors\nA,Ann Lee and Bo Li\nB,Cy Day\n",
        'title,authors\nA,"Ann Lee\nBo Li"\nB,Cy Day\n',
        "title,author\nA,Ann Lee\nA,Bo Li\nB,Cy Day\n",
    ],
    ids=["list", "objects", "printed", "semicolon", "comma", "and", "newline", "a row an author"],
)
def test_authors_are_the_same_however_they_are_listed(stage, content):
    found = clean(stage, content.encode())
    assert [[author["name"] for author in authors] for authors in found["authors"].to_list()] == AUTHORS
