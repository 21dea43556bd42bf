"""BibTeX agrees with what Better BibTeX for Zotero expects of the same files, entry by entry."""

import json
import re
from collections import Counter

import polars as pl

from transforms.clean import SourceDefaults, clean_files
from transforms.readers.base import RawFile
from transforms.staging import StagedFrames, stage_file
from transforms.text import letters_key

MIN_RATIO = 0.98
FIELDS = ("title", "authors", "year", "doi")
NO_AUTHORS = ("editor", "seriesEditor", "translator", "contributor", "bookAuthor", "recipient", "reviewedAuthor", "commenter")
MARKUP = (r"<[^>]*>", r"\\?(?:mathrm|textrm|langle|rangle|overline)", r"\^\\?circ|\bcirc\b")
"""HTML, and the macros that Zotero leaves in a title with or without their backslash ("4mathrmK", "150^circK")."""

WITHOUT_DOI = ("book", "bookSection", "report", "thesis")
"""Zotero had no DOI in these when the files were made."""

NO_RECORD = {"title": None, "authors": [], "year": None, "identifiers": []}


def plain(texts):
    """The letters and digits of texts, for comparison: no case, mark-up, spaces; the same on both sides."""
    given = pl.Series([text or "" for text in texts], dtype=pl.String)
    for markup in MARKUP:
        given = given.str.replace_all(markup, "")
    given = given.str.replace_all("textmu", "mu")
    return pl.select(letters_key(pl.lit(given)).fill_null("")).to_series().to_list()


def item_key(item):
    """The citation key of a Zotero item, which older exports keep in the notes called extra."""
    found = re.search(r"(?im)^(?:bibtex|citation key)\*?: *(\S+)", extra_of(item))
    return item.get("citationKey") or (found[1] if found else None)


def extra_of(item):
    extra = item.get("extra") or ""
    return extra if isinstance(extra, str) else "\n".join(map(str, extra))


def expected_of(item, has_authors):
    """What an item says of title, authors, year and DOI."""
    creators = item.get("creators", [])
    authors = [creator for creator in creators if creator["creatorType"] not in NO_AUTHORS]
    if not authors and has_authors:
        authors = [creator for creator in creators if creator["creatorType"] == "editor"]
    # "and others" is no author, and a suffix is no part of the family name.
    names = [(creator.get("lastName") or creator.get("name") or "", creator.get("firstName") or "") for creator in authors]
    names = [(re.sub(r",? (?:Jr|Sr)\.?$|^(.*, )?(?=\S+, Inc)", "", family), given) for family, given in names]
    names = [name for name in names if name != ("others", "")]
    year = re.search(r"\b(1[6-9]\d\d|20\d\d)\b", str(item.get("date", "")))
    doi = item.get("DOI") or next(iter(re.findall(r"(?im)^doi: *(\S+)", extra_of(item))), "")
    if not doi and item.get("itemType") in WITHOUT_DOI:
        doi = None
    doi = doi and re.sub(r"^(?:doi:\s*|https?://(?:dx\.)?doi\.org/)", "", doi.strip(), flags=re.IGNORECASE).lower()
    return {
        "title": item.get("title") or item.get("caseName") or "",
        "authors": names,
        "year": year[1] if year else "",
        "doi": doi,
    }


def found_of(record):
    doi = next((found["value"] for found in record["identifiers"] if found["scheme"] == "doi"), "")
    names = [(author["family"] or author["name"], author["given"] or "") for author in record["authors"]]
    return {"title": record["title"] or "", "authors": names, "year": str(record["year"] or ""), "doi": doi}


def disagreements_of(found, expected):
    """The fields that differ."""
    flat = [[side["title"], *(part for name in side["authors"] for part in name)] for side in (found, expected)]
    (title_l, *names_l), (title_r, *names_r) = (plain(texts) for texts in flat)
    pairs = {
        "title": (title_l, title_r),
        "authors": (names_l, names_r),
        "year": (found["year"], expected["year"]),
        "doi": (found["doi"], expected["doi"]),
    }
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1] and pair[1] is not None}


def records_of(path, project):
    """The clean records of a file in file order, an empty one for an entry that cleaning refuses, with their keys."""
    frames = StagedFrames()
    facts = stage_file(RawFile(path, path.stat().st_size), frames)
    assert facts.reader == "bibtex", f"{path.name}: {facts.message}"
    staged = frames.frame("records")
    aliases = pl.read_csv(project / "config" / "venues.csv")
    cleaned = clean_files({"f00d": staged}, source=SourceDefaults("test"), venue_aliases=aliases)["f00d"].records
    by_ordinal = {row["ordinal"]: row for row in cleaned.iter_rows(named=True)}
    return [(key, by_ordinal.get(ordinal, NO_RECORD)) for ordinal, key in staged.select("ordinal", "source_key").rows()]


def pairs_in(folder):
    """The BibTeX files and the items expected of each, by their names without signs."""
    bare = {re.sub(r"\W", "", path.stem): path for path in folder.glob("*.json") if not path.stem.endswith((".raw", "-m"))}
    pairs = [(path, bare.get(re.sub(r"\W", "", path.stem))) for path in sorted(folder.glob("*.bib"))]
    return [(bib, json.loads(items.read_text())["items"]) for bib, items in pairs if items]


def test_entries_agree_with_better_bibtex_on_title_authors_year_and_doi(shared, project):
    pairs = pairs_in(shared / "fixtures" / "betterbibtex" / "test" / "fixtures" / "import")
    assert len(pairs) >= 20
    counts, misses = Counter(), Counter()
    for path, items in pairs:
        records = records_of(path, project)
        by_key = dict(reversed(records))
        for place, item in enumerate(items):
            in_place = records[place][1] if len(records) == len(items) else NO_RECORD
            found = found_of(by_key.get(item_key(item), in_place))
            expected = expected_of(item, bool(found["authors"]))
            different = disagreements_of(found, expected)
            counts["entries"] += 1
            misses.update(different.keys())
            for name, pair in different.items():
                print(path.stem[:30], item_key(item), name, *pair, sep=" | ")
    print(dict(counts), dict(misses))
    assert counts["entries"] > 900
    assert {name: misses[name] for name in FIELDS if misses[name] > (1 - MIN_RATIO) * counts["entries"]} == {}
