"""This module sets right names whose list tells what they do not tell themselves: which words are the family name."""

from __future__ import annotations

import polars as pl

from transforms.word_sets import word_set

# Family names that are hardly given names, and those that are both ("Yang", "Lin"); of China, Korea and Vietnam.
_SURE = word_set(
    "Wang Zhang Liu Chen Zhao Huang Zhou Wu Xu Zhu Guo Luo Liang Xie Tang Feng Deng Cao Peng Zeng Xiao Tian Pan Cai Jiang Gao "
    "Song Zheng Kim Park Choi Jung Kang Cho Jang Lim Shin Kwon Hwang Oh Hong Nguyen Tran Pham Hoang"
)
_FAMILIES = _SURE | word_set(
    "Li Lee Yang Lin Sun Ma Hu He Ye Yuan Lu Su Jin Wei Yu Dong Du Ding Shen Fan Fang Shi Yao Tan Cui Jia Xia Bai Han Yin "
    "Yoon Seo Ahn Yoo Ryu Bae Baek Nam Ha Moon Son Le Vu Vo Dang Bui Do Ho Ngo"
)
_SYLLABLE = (
    r"(?:[bpmfdtnlgkhjqxrzcsyw]|[zcs]h)?(?:iang|iong|uang|ang|eng|ong|iao|ian|ing|uai|uan|ai|ei|ao|ou|an|en|ia|ie|iu|in|ua|uo|"
    r"ui|un|ue|a|o|e|i|u)"
)
_GIVEN = rf"^(?i:{_SYLLABLE}(?:-?{_SYLLABLE}){{0,2}}|[a-z]{{2,6}}-[a-z]{{2,6}})$"
"""One to three syllables of Pinyin, or two of anything joined by a hyphen, as Korean given names are."""

_INITIALS = r"^(?:\p{Lu}\.?[ -]?){1,5}$"
_WORD_AND_INITIALS = r"^(\p{L}[\p{L}'’-]{2,}(?: \p{L}[\p{L}'’-]{2,})*) ((?:\p{Lu}\.?[ -]?){1,4})$"

_FEW = 0.5
"""Share of a list of three or more up to which a word behind the comma is an exception among initials."""

_STYLE = 0.9
"""Share of a file's given names that are initials, from which on it writes none out: 0.93 and more in two reviews' exports."""

_MOSTLY = 0.5
"""Share of a list's names that begin with a sure family name."""


def given_name_first(authors: pl.DataFrame) -> pl.DataFrame:
    """`authors` (row, name_raw, name, given, family) with given and family exchanged where the whole list has them so.

    All names of a list must begin with a family name of East Asia and end in what is none but can be a given name, half of
    them with a name that is hardly ever given; one name alone only where a hyphen joins its given name.

    >>> columns = ["row", "name_raw", "name", "given", "family"]
    >>> rows = [(0, "Kim Min-Soo", "Kim Min-Soo", "Kim", "Min-Soo"), (1, "Kim Ash", "Kim Ash", "Kim", "Ash")]
    >>> given_name_first(pl.DataFrame(rows, columns, orient="row"))["name"].to_list()
    ['Min-Soo Kim', 'Kim Ash']
    """
    given, family = pl.col("given"), pl.col("family")
    begins = given.is_in(_FAMILIES)
    if not authors.select((begins & ~family.is_in(_FAMILIES)).any()).item():
        return authors
    may_be_turned = begins & ~family.is_in(_FAMILIES) & family.str.contains(_GIVEN)
    whole = may_be_turned.fill_null(False).all() & (given.is_in(_SURE).mean() >= _MOSTLY)
    tells = (pl.len() > 1) | family.str.contains("-", literal=True).any()
    # Few lists hold such a name at all.
    rows = authors.filter(begins)["row"].unique()
    turned = authors.filter(pl.col("row").is_in(rows.implode())).group_by("row").agg(turns=whole & tells).filter("turns")["row"]
    if turned.is_empty():
        return authors
    turns = pl.col("row").is_in(turned.implode())
    return authors.with_columns(
        name=pl.when(turns).then(pl.concat_str(family, pl.lit(" "), given)).otherwise("name"),
        given=pl.when(turns).then(family).otherwise(given),
        family=pl.when(turns).then(given).otherwise(family),
    )


def double_families(authors: pl.DataFrame) -> pl.DataFrame:
    """`authors` with the second family name that stands behind the comma ("Opazo, Saez A.") put to the first.

    It shows where a file writes given names as initials, and so do all others of the list, at least two. Spanish, Swedish and
    French double names come so from exports that take the first word for the family name.

    >>> columns = ["file_sha256", "row", "name_raw", "name", "given", "family"]
    >>> names = [*[("Lee", "A.")] * 9, ("Opazo", "Saez A."), ("Day", "C. D.")]
    >>> rows = [("f", 0, f"{family}, {given}", f"{given} {family}", given, family) for family, given in names]
    >>> double_families(pl.DataFrame(rows, columns, orient="row"))["name"].to_list()[-3:]
    ['A. Lee', 'A. Opazo Saez', 'C. D. Day']
    """
    given, family = pl.col("given"), pl.col("family")
    is_double = (given.str.contains(_WORD_AND_INITIALS) & pl.col("name_raw").str.contains(",", literal=True)).fill_null(False)
    candidates = authors.filter(is_double)["row"].unique()
    if candidates.is_empty():
        return authors
    are_initials = given.str.contains(_INITIALS)
    files = authors.group_by("file_sha256").agg(share=are_initials.mean()).filter(pl.col("share") >= _STYLE)["file_sha256"]
    others = are_initials | given.is_null()
    tells = ((is_double | others).all() & (is_double.mean() <= _FEW) & (pl.len() > 2)).alias("tells")
    of_style = pl.col("file_sha256").is_in(files.implode())
    rows = (
        authors.filter(of_style & pl.col("row").is_in(candidates.implode())).group_by("row").agg(tells).filter("tells")["row"]
    )
    mended = is_double & pl.col("row").is_in(rows.implode())
    second, initials = given.str.extract(_WORD_AND_INITIALS, 1), given.str.extract(_WORD_AND_INITIALS, 2)
    return authors.with_columns(
        name=pl.when(mended).then(pl.concat_str(initials, pl.lit(" "), family, pl.lit(" "), second)).otherwise("name"),
        given=pl.when(mended).then(initials).otherwise(given),
        family=pl.when(mended).then(pl.concat_str(family, pl.lit(" "), second)).otherwise(family),
    )
