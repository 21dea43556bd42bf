"""The same papers through PMLR's Markdown and through BibTeX as PMLR writes it; and damaged YAML."""

from pathlib import Path

import polars as pl

from transforms.clean import SourceDefaults, clean_records
from transforms.readers.base import RawFile
from transforms.readers.yaml_values import yaml_value
from transforms.staging import StagedFrames, stage_file

NO_ALIASES = pl.DataFrame(schema=dict.fromkeys(("alias", "venue_id", "name", "kind"), pl.String))
COMPARED = ("title", "abstract", "authors", "venue", "year", "volume", "pages", "publisher", "type", "identifiers", "pdf_url")


def cleaned(path: Path, reader: str) -> pl.DataFrame:
    frames = StagedFrames()
    facts = stage_file(RawFile(path, path.stat().st_size), frames)
    assert (facts.reader, facts.reasons) == (reader, {})
    staged = frames.frame("records").with_columns(file_sha256=pl.lit("0"))
    records = clean_records(staged, source=SourceDefaults("x"), venue_aliases=NO_ALIASES).records.select(COMPARED)
    # The names as given differ: BibTeX has LaTeX in them.
    name = pl.element().struct
    names = pl.col("authors").list.eval(pl.struct(name.field("name"), name.field("given"), name.field("family")))
    return records.with_columns(authors=names)


def as_bibtex(paper: dict) -> str:
    """An entry with the fields, and in the manner, of the BibTeX that PMLR offers beside each paper."""
    fields = {
        "title": paper["tex_title"],
        "author": paper["bibtex_author"],
        "booktitle": paper["container-title"],
        "pages": f"{paper['firstpage']}--{paper['lastpage']}",
        "year": paper["date"][:4],
        "volume": paper["volume"],
        "series": paper["series"],
        "month": "25--27 Apr",
        "publisher": paper["publisher"],
        "pdf": paper["pdf"],
        "url": f"{paper['pdf'].rsplit('/', 2)[0]}/{paper['id']}.html",
        "abstract": paper["abstract"],
    }
    body = ",\n".join(f"  {name} = \t {{{value}}}" for name, value in fields.items())
    return f"@InProceedings{{pmlr-v{paper['volume']}-{paper['id']},\n{body}\n}}\n"


def test_markdown_and_bibtex_of_pmlr_give_the_same_clean_records(shared, tmp_path):
    posts = sorted((shared / "fixtures" / "pmlr_v206" / "_posts").glob("*.md"))
    papers = [yaml_value(post.read_text().split("\n---\n")[0].removeprefix("---\n")) for post in posts]
    bibtex = tmp_path / "v206.bib"
    bibtex.write_text("\n".join(map(as_bibtex, papers)))
    from_posts = pl.concat([cleaned(post, "front_matter") for post in posts])
    from_bibtex = cleaned(bibtex, "bibtex")
    assert from_posts.height == from_bibtex.height == len(posts) == 79
    for name in COMPARED:
        differing = [
            (ours, theirs)
            for ours, theirs in zip(from_posts[name].to_list(), from_bibtex[name].to_list(), strict=True)
            if ours != theirs
        ]
        assert differing == [], name
