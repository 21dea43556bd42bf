"""This module cleans where in a volume a paper stands: pages, volume, number; and makes the keys they are compared by.

The clean columns keep what the source says. The keys are for comparison only: they undo what spreadsheets and exports do to
numbers ("01-Oct" for pages 1-10), and are null where a text names no page, volume or issue.
"""

from __future__ import annotations

import polars as pl

from transforms.placeholders import without_placeholder

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NUMBERS = {name: str(place) for place, name in enumerate(_MONTHS, start=1)}
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_NO_PLACE = (
    r"na|n\.?pag(?:ination)?\.?|(?:no|no paging|var(?:ious)?)[ .]*(?:pages?|pagings?|pagination|volume|issue|number)|"
    r"in press|epub|(?:e-?pub )?ahead of print|(?:online|early|first) (?:first|online|access|view|publication)"
)
"""What reference managers and MEDLINE write into volume, issue and pages of a paper that has none yet."""

_LEAST_SERIAL, _SERIAL_TO_A_VENUE, _SERIAL_TO_A_RECORD = 30, 10, 10
"""Of so many records in so many venues some would be in issues of one number, if those are not weeklies', with thousands.
A part of a list keeps the numbers of the whole."""

_NO_PAGINATION = r"(?i)\s*[(\[](?:no|var(?:ious)?\.?) ?pag(?:ination|ings?|es)[)\]]|\s*\[?\(?e-?pub ahead of print\)?\]?$"
_NUMBER_WORD = r"(?:no|nr|number|iss|issue)"
_WITH_NUMBER = r"^(\d[\w.-]*|[IVXLC]+)\s*\(([^()]+)\)?$"


def pages(text: pl.Expr) -> pl.Expr:
    """Pages with plain hyphens and no spaces around them, as given otherwise; null for a placeholder.

    >>> texts = pl.Series(["376 -- 383", "pp. 221–8", "e1203", "12-15, 20", "N/A", "N.PAG"])
    >>> pl.select(pages(pl.lit(texts))).to_series().to_list()
    ['376-383', '221-8', 'e1203', '12-15, 20', None, None]
    """
    plain = _trimmed(text).str.replace(r"^(?i:pages?|pp?\.?)[\s:]+", "").str.replace_all(r"\s*[-‐‑‒–—−]+\s*", "-")
    return without_placeholder(plain, _NO_PLACE)


def volume(text: pl.Expr) -> pl.Expr:
    """A volume without the word "Vol." before it and the issue in brackets behind it; null for a placeholder.

    >>> volumes = pl.Series(["31 (2) (no pagination)", "Vol. 3", "12.0", "9661 LNCS", "-"])
    >>> pl.select(volume(pl.lit(volumes))).to_series().to_list()
    ['31', '3', '12', '9661 LNCS', None]
    """
    bare = _plain_number(text, "vol(?:ume)?").str.replace(_WITH_NUMBER, "$1")
    return without_placeholder(bare, _NO_PLACE)


def number(text: pl.Expr, volume_text: pl.Expr | None = None) -> pl.Expr:
    """An issue with single spaces and plain hyphens, "12.0" as "12"; where there is none, the one that the volume holds.

    >>> pl.select(number(pl.lit(pl.Series(["No. 4", "12.0", "3–4", "-"])))).to_series().to_list()
    ['4', '12', '3-4', None]
    >>> pl.select(number(pl.lit(r"suppl\\_1"))).item()
    'suppl_1'
    >>> numbers, volumes = pl.Series([None, "5", None]), pl.Series(["12(3)", "12 (3)", "12"])
    >>> pl.select(number(pl.lit(numbers, pl.String), pl.lit(volumes))).to_series().to_list()
    ['3', '5', None]
    """
    given = without_placeholder(_plain_number(text, _NUMBER_WORD), _NO_PLACE)
    if volume_text is None:
        return given
    within = _plain_number(volume_text, "vol(?:ume)?").str.extract(_WITH_NUMBER, 2)
    return pl.coalesce(given, without_placeholder(_plain_number(within, _NUMBER_WORD), _NO_PLACE))


def is_serial(number: pl.Expr, venue: pl.Expr, *, of: str) -> pl.Expr:
    """Whether the numbers of the records of one `of` are no issues but count them, as a reference manager counts its own.

    They are different integers, not far apart, of thirty records or more in many venues; issues have few numbers, which recur.

    >>> frame = pl.DataFrame({"file": ["a"] * 40, "number": map(str, range(7, 47)), "venue": map(str, range(40))})
    >>> frame.select(is_serial(pl.col("number"), pl.col("venue"), of="file").all()).item()
    True
    """
    whole = number.str.extract(r"^\s*(\d+)(?:\.0)?\s*$").cast(pl.Int64, strict=False)
    count = number.count()
    are_close = (whole.max() - whole.min()).fill_null(0) < _SERIAL_TO_A_RECORD * count
    venues = venue.filter(number.is_not_null()).drop_nulls().n_unique()
    are_many = (count >= _LEAST_SERIAL) & (venues >= count / _SERIAL_TO_A_VENUE)
    return (are_many & (whole.drop_nulls().n_unique() == count) & are_close).over(of)


def volume_key(volume: pl.Expr) -> pl.Expr:
    """The number of a volume for comparison, else its letters and digits; null where it names none.

    >>> volumes = pl.Series(["031 (2)", "Vol. 3", "9661 LNCS", "2020-March", "WS-11-11", "XL-6", "[Epub]", "FEB."])
    >>> pl.select(volume_key(pl.lit(volumes))).to_series().to_list()
    ['31', '3', '9661', '2020', 'ws1111', 'xl6', None, None]
    """
    plain = volume.str.to_lowercase()
    coded = plain.str.extract(r"^\s*([a-z]{1,4}-\d[\d-]*)\s*$").str.replace_all("-", "")
    found = pl.coalesce(coded, plain.str.extract(r"(?:^|[^\d])0*(\d+)"), plain.str.replace_all(r"[^\p{L}\p{N}]+", ""))
    return _unless_month_or_none(plain, found)


def number_key(number: pl.Expr) -> pl.Expr:
    """The number of an issue for comparison; that of a supplement as "s1", whatever issue it belongs to; null for neither.

    >>> numbers = pl.Series(["03", "10 SUPPL. 1", "suppl_1", "S1", "12 Suppl", "3-4", "01-Mar", "1B", "SI", "Abstracts"])
    >>> pl.select(number_key(pl.lit(numbers))).to_series().to_list()
    ['3', 's1', 's1', 's1', '12', '3', '1', '1b', None, None]
    """
    plain = number.str.to_lowercase()
    supplement = plain.str.extract(r"(?:s|sup|suppl|supplements?)[ ._-]*0*(\d+)\s*$")
    part = plain.str.extract(r"\b(?:part|pt)[ ._-]*(\d+|[a-z])\s*$")
    found = pl.coalesce(
        pl.concat_str(pl.lit("s"), supplement),
        _spreadsheet_range(plain)[0],
        plain.str.extract(r"(?:^|[^\d])0*(\d+[a-d]?)(?:[^a-z\d]|$|sup|_)"),
        plain.str.extract(r"0*(\d+)"),
        part,
    )
    return pl.when(~plain.str.contains(rf"^\s*{_MONTH}\s*$|epub|ahead of print")).then(found)


def first_page_key(pages: pl.Expr) -> pl.Expr:
    """The first page for comparison, lower-case, a letter before its digits; null where a text names no page.

    >>> texts = pl.Series(["221-8", "01-Oct", "Jan-13", "21-Aug", "S12-S15", "290A-291A", "e1234", "xii", "Suppl-48"])
    >>> pl.select(first_page_key(pl.lit(texts))).to_series().to_list()
    ['221', '1', '1', '21', 's12', 'a290', 'e1234', 'xii', None]
    """
    plain = _plain_pages(pages)
    return pl.coalesce(_spreadsheet_range(plain)[0], _page(_first_part(plain)))


def last_page_key(pages: pl.Expr) -> pl.Expr:
    """The last page of the first range for comparison, in full; null where there is no range.

    >>> texts = pl.Series(["221-8", "1990-1", "01-Oct", "21-Aug", "S12-5", "290A-291A", "ii-xii", "61-62, 68", "e1234"])
    >>> pl.select(last_page_key(pl.lit(texts))).to_series().to_list()
    ['228', '1991', '10', '28', 's15', 'a291', 'xii', '62', None]
    """
    return pages.map_batches(_last_pages, return_dtype=pl.String, is_elementwise=True)


def _last_pages(pages: pl.Series) -> pl.Series:
    """In steps, not as one expression: each thing named here is made once, where it would be made for each mention."""
    plain = pages.alias("pages").to_frame().select(plain=_plain_pages(pl.col("pages")))
    range_first, range_last = _spreadsheet_range(pl.col("plain"))
    printed = _page(pl.col("plain").str.extract(r"^[a-z]*\d*[a-z]*\d*-([a-z]*\d+[a-z]?\d*|[ivxlc]+)(?:[,;. +]|$)"))
    ends = plain.select(
        first=pl.coalesce(range_first, _page(_first_part(pl.col("plain")))), last=pl.coalesce(range_last, printed)
    )
    letters, digits = r"^([a-z]*)", r"(\d+)$"
    # "221-8" is 221-228: what the last page leaves out stands in the first. "S12-5": the letter too.
    parts = ends.with_columns(
        letters=pl.col("first").str.extract(letters),
        digits=pl.col("first").str.extract(digits),
        last_letters=pl.col("last").str.extract(letters),
        last_digits=pl.col("last").str.extract(digits),
    )
    length, last_length = (pl.col(name).str.len_bytes().cast(pl.Int64) for name in ("digits", "last_digits"))
    left_out = parts.with_columns(left_out=length - last_length)
    full = pl.concat_str("letters", pl.col("digits").str.slice(0, pl.max_horizontal(pl.col("left_out"), 0)), "last_digits")
    is_short = (pl.col("last_letters") == "") & ((pl.col("left_out") > 0) | (pl.col("letters") != ""))
    is_page = pl.col("first").is_not_null()
    return left_out.select(last=pl.when(is_page & is_short).then(full).when(is_page).then("last")).to_series()


def _trimmed(text: pl.Expr) -> pl.Expr:
    # BibTeX of the Web of Science has every value in braces twice, and careful writers escape what LaTeX would take amiss.
    return text.str.replace_all(r"\s+", " ").str.strip_chars(" {}").str.replace_all(r"\\([%&#_$])", "$1")


def _plain_number(text: pl.Expr, word: str) -> pl.Expr:
    """A volume or issue without the word before its number."""
    bare = _trimmed(text).str.replace_all(_NO_PAGINATION, "").str.replace(rf"^(?i:(?:{word}\b[.:]?\s*)+)(\d)", "$1")
    return bare.str.replace(r"^(\d+)\.0$", "$1").str.replace_all(r"\s*[-‐‑‒–—−]+\s*", "-")


def _unless_month_or_none(plain: pl.Expr, found: pl.Expr) -> pl.Expr:
    is_none = plain.str.contains(rf"^\s*{_MONTH}(?:\s*\d*)?\s*(?:\[|$)|epub|ahead of print")
    return pl.when(~is_none & (found != "")).then(found)


def _plain_pages(pages: pl.Expr) -> pl.Expr:
    """Pages in lower case without the word before them; the hyphen of "HS-3-HS-13" within a page is none of a range.

    "Suppl-48" and "t-51" are what one export leaves of "L37-L48" and "849-851": they name no page.
    """
    plain = pages.str.to_lowercase().str.strip_chars().str.replace_all(r"\s*[-‐‑‒–—−]+\s*", "-")
    bare = plain.str.replace(r"^(?:pages?|pp?|suppl(?:ement)?|art(?:icle)?)\b[\s:.]+", "")
    is_rest = bare.str.contains(r"^(?:suppl|t)-\d")
    return pl.when(~is_rest).then(bare.str.replace_all(r"\b([a-z]{1,2})-(\d)", "$1$2"))


def _first_part(plain: pl.Expr) -> pl.Expr:
    is_page = ~plain.str.contains(rf"\b{_MONTH}\b|\d\.\d+e\+|epub")
    return pl.when(is_page).then(plain.str.extract(r"^([a-z]{0,5}\d[a-z0-9]*|[ivxlc]+(?:[^a-z]|$))"))


def _page(page: pl.Expr) -> pl.Expr:
    """A page without leading zeros, its letter first: "193s" is "s193", as one source writes and another does not."""
    trimmed = page.str.strip_chars_end("-,;.+ /")
    return trimmed.str.replace(r"^(\d+)([a-z])$", "$2$1").str.replace(r"^([a-z]*)0+(\d)", "$1$2")


def _spreadsheet_range(plain: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """First and last number of a range that a spreadsheet took for a date: "01-Oct" was 1-10, "Jan-13" 1-13, "21-Aug" 21-8.

    Measured on a labelled set: of pages that come both ways, "21-Aug" stands beside "21-28", "11-Sep" beside "Nov-19" (11-19).
    """
    day, month = plain.str.extract(rf"^(\d{{1,2}})-{_MONTH}$"), plain.str.extract(rf"^\d{{1,2}}-({_MONTH})$")
    other_month, other = plain.str.extract(rf"^({_MONTH})-\d{{1,2}}$"), plain.str.extract(rf"^{_MONTH}-(\d{{1,2}})$")
    first = pl.coalesce(day, _month_number(other_month)).str.strip_chars_start("0")
    return first, pl.coalesce(_month_number(month), other).str.strip_chars_start("0")


def _month_number(month: pl.Expr) -> pl.Expr:
    return month.str.slice(0, 3).replace_strict(_MONTH_NUMBERS, default=None, return_dtype=pl.String)
