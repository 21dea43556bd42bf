"""Tagged text against rispy, an independent reader of RIS, and on files that are damaged."""

from pathlib import Path

import rispy
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.readers.base import RawFile
from transforms.staging import StagedFrames, stage_file

WORD = st.text("abcdefgXYZ éü-,.'", min_size=1, max_size=20).map(str.strip).filter(bool)
PAPERS = st.lists(
    st.fixed_dictionaries({"title": WORD, "authors": st.lists(WORD, min_size=1, max_size=4), "year": st.integers(1900, 2100)}),
    min_size=1,
    max_size=5,
)


def as_ris(paper: dict) -> str:
    authors = "".join(f"AU  - {name}\n" for name in paper["authors"])
    return f"TY  - JOUR\n{authors}TI  - {paper['title']}\nPY  - {paper['year']}\nER  - \n\n"


def staged_of(path: Path) -> list[dict]:
    frames = StagedFrames()
    facts = stage_file(RawFile(path, path.stat().st_size), frames)
    assert (facts.reader, facts.reasons) == ("ris", {})
    return frames.frame("records").to_dicts()


def spaced(text: object) -> str:
    return " ".join(str(text or "").split())


def compared(staged: dict, entry: dict) -> list[tuple[object, object]]:
    """What rispy and the reader say of one entry, side by side: titles, authors, years."""
    titles = [entry.get(key) for key in ("title", "primary_title", "short_title")]
    names = staged["author_names_raw"] or ([staged["authors_raw"]] if staged["authors_raw"] else [])
    return [
        (spaced(staged["title_raw"]), next((spaced(title) for title in titles if title), "")),
        ([spaced(name) for name in names], [spaced(name) for name in entry.get("authors") or entry.get("first_authors") or []]),
        (spaced(staged["year_raw"]), spaced(entry.get("year") or entry.get("publication_year"))),
    ]


@given(PAPERS)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_fabricated_ris_is_read_as_rispy_reads_it(tmp_path_factory, papers):
    path = tmp_path_factory.mktemp("ris") / "raw"
    text = "".join(map(as_ris, papers))
    path.write_text(text)
    staged, entries = staged_of(path), rispy.loads(text)
    assert len(staged) == len(entries) == len(papers)
    for record, entry in zip(staged, entries, strict=True):
        for ours, theirs in compared(record, entry):
            assert ours == theirs


def test_real_ris_is_read_as_rispy_reads_it(shared):
    compared_files = 0
    for path in sorted((shared / "fixtures").rglob("*.ris")):
        text = path.read_text("utf-8-sig")
        try:
            entries = rispy.loads(text, skip_unknown_tags=False)
        except (OSError, ValueError, KeyError, AttributeError, rispy.parser.ParseError):
            continue
        # rispy reads no type that follows another without an end mark between them as the beginning of an entry.
        has_ends = text.count("TY  -") == text.count("ER  -")
        if not entries or not has_ends:
            continue
        staged = staged_of(path)
        assert len(staged) == len(entries), path.name
        for record, entry in zip(staged, entries, strict=True):
            for ours, theirs in compared(record, entry):
                assert ours == theirs, path.name
        compared_files += 1
    assert compared_files >= 15
