"""This module names the venue of a record, as config/venues.csv knows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from transforms.iso4 import AbbreviatedNames
from transforms.schemas import SchemaError
from transforms.staged_schemas import VENUE_KINDS
from transforms.text import plain_text
from transforms.venue_kind import venue_kind
from transforms.venue_names import without_own_acronym
from transforms.venue_words import ORDINAL_WORDS, venue_words, without_additions

_COLUMNS = ("alias", "venue_id", "name", "kind")

# A venue's text that names a part beside the main proceedings; such a text is never the main conference.
_BESIDE = (
    r"(?i)\bworkshops?\b|\bwksp?\b|\b(?:cvpr|iccv|eccv|wacv|iclr|icml|kdd)w\b|\btutorials?\b|\bdemo(?:nstration)?s?\b|\bcompanion\b|\badjunct\b|\bdoctoral\b|"
    r"\bstudent (?:research|abstract)|\btiny[ _]?papers?\b|\bblog[ _]?posts?\b|\bsymposium on .* at\b|\blate[- ]breaking|"
    r"\bextended abstracts?\b|\bchallenge track\b"
)
# The aliases of journals that are one word of the language; an acronym has capitals within.
_COMMON_WORD = r"^\p{L}\p{Ll}+$"
_STEM_LETTERS = 4
_FORM_STEMS = ["int", "inte", "conf", "symp", "meet", "cong", "join", "ieee", "acm", "adva", "rese"]
_BRACKETS = r"\s*[(\[][^)\]]*[)\]]"
_OPENREVIEW_GROUP = r"^(?:https?://openreview\.net/group\?id=)?([A-Za-z-]+)(?:\.(?:cc|org|com))/((?:19|20)\d\d)/(?:Conference|Track|Datasets_and_Benchmarks)\b"


# Whose papers a host has, where its address names the venue, or it has only one.
_CVF_ADDRESS = r"thecvf\.com/content[_/]([A-Za-z]+)_?(?:19|20)\d\d/"
_HOSTS = (
    (r"(?:nips|neurips)\.cc/(?:paper|virtual/\d{4}/(?:poster|oral|spotlight)/)", "NeurIPS"),
    (r"icml\.cc/virtual/\d{4}/(?:poster|oral|spotlight)/", "ICML"),
    (r"iclr\.cc/virtual/\d{4}/(?:poster|oral|spotlight)/", "ICLR"),
    (r"ijcai\.org/(?i:proceedings)/\d", "IJCAI"),
    (r"mlsys\.org/paper", "MLSys"),
    (r"ecva\.net/papers/eccv_\d", "ECCV"),
)


def load_aliases(venue_aliases: pl.DataFrame) -> dict[str, tuple[str, str, str]]:
    """The venue's id, name and kind for each alias key of a frame with the columns alias, venue_id, name and kind.

    >>> load_aliases(pl.DataFrame({"alias": ["ICLR"], "venue_id": ["iclr"], "name": ["ICLR"], "kind": ["conference"]}))
    {'iclr': ('iclr', 'ICLR', 'conference')}

    Raises:
        SchemaError: a column is missing, a kind is not one of `staged_schemas.VENUE_KINDS`, or two aliases are the same once
            normalised but mean two venues.
    """
    missing = [name for name in _COLUMNS if name not in venue_aliases.columns]
    if missing:
        raise SchemaError(
            f"venues.csv: expected the columns {', '.join(_COLUMNS)}, but {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing; it has {', '.join(venue_aliases.columns)}. Correct line 1."
        )
    aliases: dict[str, tuple[str, str, str]] = {}
    rows = venue_aliases.select(venue_key(pl.col("alias").cast(pl.String)).alias("key"), *_COLUMNS[1:])
    for key, *venue in rows.drop_nulls().iter_rows():
        venue_id, name, kind = venue
        if kind not in VENUE_KINDS:
            raise SchemaError(f"venues.csv: '{venue_id}' has the kind '{kind}', which is none of {', '.join(VENUE_KINDS)}.")
        if aliases.setdefault(key, (venue_id, name, kind)) != (venue_id, name, kind):
            raise SchemaError(
                f"venues.csv: an alias that reads '{key}' once normalised stands for both '{aliases[key][0]}' and "
                f"'{venue_id}'. Keep one of the two rows."
            )
    return aliases


def venue_key(venue: pl.Expr) -> pl.Expr:
    """What is compared of a venue's text: its letters without years, ordinals, "Proceedings of the" and "Annual".

    >>> pl.select(venue_key(pl.lit("Proceedings of the 41st Annual International Conference on Machine Learning"))).item()
    'internationalconferenceonmachinelearning'
    """
    key = (
        venue.str.normalize("NFKD")
        .str.replace_all(r"\p{M}+", "")
        .str.to_lowercase()
        .str.replace_all("&", " and ", literal=True)
        .str.replace_all(r"['’]\d\d\b|\b\d+(?:st|nd|rd|th)\b|\d+", " ")
        .str.replace_all(ORDINAL_WORDS, " ")
        # A journal of whose name no more than the publisher would be left.
        .str.replace(r"^\W*proc(?:eedings\b|\b\.?)(?:\s+of)?(?:\s+the)?\s+ieee\W*$", "ieeeproceedings")
        .str.replace(r"^\W*(?:in:?\s+)?(?:(?:conference\s+)?proceedings|proc\b\.?)(?:\s+of)?\s+", " ")
        .str.replace_all(r"\b(?:annual|the)\b|\bproceedings$", " ")
        .str.replace_all(r"[^\p{L}]+", "")
    )
    return pl.when(key != "").then(key)


def clean_venues(texts: pl.Series, venue_aliases: pl.DataFrame) -> pl.DataFrame:
    """The columns venue_id, venue and venue_kind for each text, row by row.

    `venue` is the curated name where the venue is known, else the text without mark-up; a workshop, tutorial or
    demonstration at a conference is not that conference. `venue_kind` is the curated kind, else what the text tells.

    >>> rows = {"alias": ["ICML"], "venue_id": ["icml"], "name": ["Machine Learning Conference"], "kind": ["conference"]}
    >>> clean_venues(pl.Series(["ICML 2024", "ICML 2024 Workshop on Maps"]), pl.DataFrame(rows)).rows()
    [('icml', 'Machine Learning Conference', 'conference'), (None, 'ICML 2024 Workshop on Maps', 'workshop')]
    """
    curated = _curated_venues(tuple(venue_aliases.columns), tuple(venue_aliases.rows()))
    distinct = texts.drop_nulls().unique(maintain_order=True).alias("text").to_frame()
    if distinct.is_empty():
        return pl.DataFrame(dict.fromkeys(("venue_id", "venue", "venue_kind"), texts.cast(pl.String)))
    known = distinct.with_columns(plain=plain_text(pl.col("text")))
    known = known.with_columns(venue_id=_venue_ids(known["plain"], curated))
    venue_id, names, kinds = pl.col("venue_id"), curated.names, curated.kinds
    known = known.with_columns(
        venue=pl.coalesce(venue_id.replace_strict(names, default=None, return_dtype=pl.String), pl.col("plain")),
        venue_kind=pl.coalesce(
            venue_id.replace_strict(kinds, default=None, return_dtype=pl.String), venue_kind(pl.col("plain"))
        ),
    )
    rows = texts.alias("text").to_frame().join(known, on="text", how="left", maintain_order="left")
    return rows.select("venue_id", "venue", "venue_kind")


@dataclass(frozen=True, slots=True)
class _Curated:
    """What the rows of venues.csv tell, made ready: by alias key the ids, by id the names and kinds, …"""

    ids: dict[str, str]
    names: dict[str, str]
    kinds: dict[str, str]
    common: pl.Series  # the keys of journals that are one word of the language
    stems: pl.DataFrame  # venue_id, and the stems of the words of its name
    abbreviated: AbbreviatedNames


@lru_cache(maxsize=4)
def _curated_venues(columns: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> _Curated:
    """Made once for a frame of aliases: half of what a batch of records without venues would cost to clean."""
    venue_aliases = pl.DataFrame(rows, schema=list(columns), orient="row", infer_schema_length=None)
    aliases = load_aliases(venue_aliases)
    venue_aliases = venue_aliases.with_columns(pl.col(_COLUMNS).cast(pl.String))
    journals = venue_aliases.filter(pl.col("alias").str.contains(_COMMON_WORD), kind="journal")
    full = venue_aliases.select(venue_words(pl.col("alias")).alias("words"), "venue_id")
    return _Curated(
        ids={key: venue_id for key, (venue_id, _, _) in aliases.items()},
        names={venue_id: name for venue_id, name, _ in aliases.values()},
        kinds={venue_id: kind for venue_id, _, kind in aliases.values()},
        common=journals.select(venue_key(pl.col("alias"))).to_series(),
        stems=venue_aliases.select("venue_id", "name").unique().select("venue_id", _stems(pl.col("name")).alias("named")),
        abbreviated=AbbreviatedNames((words, venue_id) for words, venue_id in full.iter_rows()),
    )


def _stems(text: pl.Expr) -> pl.Expr:
    return venue_words(text).list.eval(pl.element().str.head(_STEM_LETTERS))


def venue_in_address(addresses: pl.Expr) -> pl.Expr:
    """The venue that the address of a paper on a venue's own site tells; null where it tells none.

    >>> addresses = pl.Series(
    ...     [
    ...         "https://openaccess.thecvf.com/content_CVPR_2020/papers/Li_Two_Nets_CVPR_2020_paper.pdf",
    ...         "https://openaccess.thecvf.com/content/CVPR2022W/ABC/papers/Li_Two_Nets_CVPRW_2022_paper.pdf",
    ...         "https://papers.nips.cc/paper/1988/file/02522a2b2726fb0a03bb19f2d8d9524d-Paper.pdf",
    ...     ]
    ... )
    >>> pl.select(venue_in_address(pl.lit(addresses))).to_series().to_list()
    ['CVPR', None, 'NeurIPS']
    """
    by_host = [pl.when(addresses.str.contains(host)).then(pl.lit(venue)) for host, venue in _HOSTS]
    return pl.coalesce(addresses.str.extract(_CVF_ADDRESS).str.to_uppercase(), *by_host)


def _venue_ids(plain: pl.Series, curated: _Curated) -> pl.Series:
    """The venue of each text: known by an alias, in the first of the ways to read the text, else as an abbreviation of one."""
    ways = {**_whole(pl.col("plain")), **_readings(pl.col("plain"))}
    readings = (
        plain.alias("plain")
        .to_frame()
        .select(**ways)
        .with_row_index("row")
        .unpivot(index="row", variable_name="way", value_name="reading")
        .drop_nulls("reading")
    )
    # Most ways read a text alike: the key, which is dear, is made of each reading once.
    keys = readings.select(pl.col("reading").unique()).with_columns(key=venue_key(pl.col("reading")))
    venue_id = pl.col("key").replace_strict(curated.ids, default=None, return_dtype=pl.String)
    keys = keys.with_columns(venue_id=venue_id).drop_nulls("venue_id")
    is_whole = pl.col("way").is_in(list(_whole(pl.col("plain")))) & ~pl.col("reading").str.contains(r"(?i)\bproc")
    rows = plain.alias("plain").to_frame().with_row_index("row")
    found = readings.join(keys, on="reading").filter(is_whole | ~pl.col("key").is_in(curated.common.implode()))
    found = found.join(_other_conferences(found.join(rows, on="row"), curated), on=["row", "way"], how="anti")
    known = found.group_by("row").agg(pl.col("venue_id").sort_by(pl.col("way").cast(pl.Enum(list(ways)))).first())
    rows = rows.join(known, on="row", how="left", maintain_order="left")
    return rows["venue_id"].fill_null(_abbreviated(rows, curated.abbreviated))


def _other_conferences(found: pl.DataFrame, curated: _Curated) -> pl.DataFrame:
    """The rows of `found` (row, way, plain, venue_id) where an acronym in brackets is that of another venue: the name before it
    is all in other words, as in "Conference on Tidal Apparel (ICTAI)"."""
    acronyms = found.filter(pl.col("way") == "in_brackets")
    stems = _stems(pl.col("plain")).list.set_difference(_FORM_STEMS)
    return acronyms.join(curated.stems, on="venue_id").filter(
        (stems.list.len() > 1) & (stems.list.set_intersection("named").list.len() == 0)
    )


def _abbreviated(known: pl.DataFrame, names: AbbreviatedNames) -> pl.Series:
    """The venue whose name each text of `known` (plain, venue_id) abbreviates, where none is known; a Python function for each
    such text, of which there are few."""
    unknown = pl.col("venue_id").is_null() & ~pl.col("plain").str.contains(_BESIDE)
    words = known.select(pl.when(unknown).then(venue_words(pl.col("plain")))).to_series()
    meant = [names.meant_by(row) or names.meant_by(without_own_acronym(tuple(row))) if row else None for row in words.to_list()]
    return pl.Series(meant, dtype=pl.String)


def _whole(text: pl.Expr) -> dict[str, pl.Expr]:
    """The whole text, with and without brackets, and the journal before a meeting whose abstracts it holds: only these may be a
    common word, such as Nature or Blood, and only the text as it stands a workshop."""
    main = pl.when(~text.str.contains(_BESIDE)).then(text)
    return {
        "text": text,
        "without_brackets": main.str.replace_all(_BRACKETS, ""),
        "without_additions": without_additions(main),
        "before_meeting": text.str.extract(r"(?i)^(.{3,}?)\.\s*conference:"),
    }


def _readings(text: pl.Expr) -> dict[str, pl.Expr]:
    """The ways to read a part of a venue's text as a venue, most literal first; none where the text names something beside the
    main proceedings."""
    main = pl.when(~text.str.contains(_BESIDE)).then(text)
    group = main.str.extract(_OPENREVIEW_GROUP)
    without_brackets = main.str.replace_all(_BRACKETS, "")
    in_brackets = main.str.extract(r"[(\[]\s*([A-Za-z][A-Za-z&-]{2,12})[\s'’]*(?:\d{2,4})?\s*[)\]]\s*(?:\d{4})?\W*$")
    # "Advances in … 35 (NeurIPS 2022), New Orleans, USA"; "ICML '24: Proceedings of …"
    # Only of a conference or proceedings: "Machine Learning, Optimization, and Data Science" is not the journal.
    before_comma = without_brackets.str.extract(r"^([^,;]{3,}?)\s*[,;]")
    before_comma = pl.when(before_comma.str.contains(r"(?i)conference|symposium|advances|meeting|proceedings|\d\d")).then(
        before_comma
    )
    before_colon = main.str.extract(r"^([A-Za-z-]+\s*['’]?\d{2,4})\s*:")
    behind_colon = main.str.extract(r"^[A-Za-z-]+\s*['’]?\d{2,4}\s*:\s*(.+)$")
    # DBLP: "Advances in … 32: Annual Conference on … 2019, NeurIPS 2019, December 8-14", "Computer Vision - ECCV 2020 - 16th …"
    with_year = main.str.extract(r"[,–-]\s+([A-Z][A-Za-z]{2,11})(?:\s+(?:19|20)\d\d|\s*['’]\d\d)(?:,|\s+[–-]|$)")
    # Crossref: "Proceedings of the 26th Conference on … - UMAP '18"
    before_dash = main.str.extract(r"^(.{8,}?)(?:\s+on)?\s+[–-]\s+[A-Z][^\s]*\s*['’]\d\d$")
    before_conference = main.str.extract(r"^([A-Za-z]+ (?:19|20)\d\d) Conference$")  # OpenReview's "ICLR 2024 Conference"
    without_roman = without_brackets.str.extract(r"^(.{8,}?)\s+[IVXL]{1,6}$")  # "Robotics: Science and Systems IV"
    after_in = without_brackets.str.extract(
        r"(?i)^(?:published|accepted|appears?|to appear|submitted) (?:at|in|to):?\s+(.+?)\W*$"
    )
    return {
        "group": group,
        "before_comma": before_comma,
        "before_colon": before_colon,
        "behind_colon": behind_colon,
        "after_in": after_in,
        "without_roman": without_roman,
        "before_dash": before_dash,
        "in_brackets": in_brackets,
        "with_year": with_year,
        "before_conference": before_conference,
    }
