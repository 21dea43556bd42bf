"""This module takes the text of a venue apart: the words that tell of it, and its acronym."""

from __future__ import annotations

import polars as pl

from transforms.text import LOST_LETTER

ORDINAL_WORDS = (
    r"\b(?:(?:twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety)[\s-]?)?(?:first|second|third|fourth|fifth|sixth|seventh|"
    r"eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|"
    r"twentieth|thirtieth|fortieth|fiftieth|sixtieth|seventieth|eightieth)\b"
)

_STOP_WORDS = (
    r"of|the|and|on|in|for|an|to|at|by|with|from|its|as|or|de|la|le|les|des|du|et|der|die|das|und|zur|im|el|los|las|del|da|do|dos|"
    r"di|della|delle|il|fur|annual"
)
# Journals of meeting abstracts, as Embase writes them: "Circulation. Conference: …".
_MEETING = r"\.\s*conference(?::.*)?$"
# What a society, or a second language, adds to a journal's name: "Cancer : official journal of …", "… = journal de …".
_SOCIETY = (
    r"\s*(?:[:,=/]|\s-)\s*(?:(?:the|an?)\s+)?(?:official|publication|organ of|journal (?:de|of the society)|international "
    r"official|preprint server).*$|\s+=\s+.*$"
)
_COUNTRIES = (
    r"usa|u\.s\.a|united states|uk|united kingdom|england|scotland|ireland|canada|mexico|brazil|chile|argentina|peru|colombia"
    r"|france|germany|austria|switzerland|italy|spain|portugal|(?:the )?netherlands|belgium|luxembourg|denmark|sweden|norway"
    r"|finland|estonia|latvia|lithuania|poland|hungary|greece|cyprus|malta|croatia|slovenia|serbia|romania|slovakia"
    r"|bulgaria|czech republic|turkey|russia|ukraine|israel|egypt|tunisia|south africa|india|iran|pakistan|p\.? ?r\.? china"
    r"|china|morocco|taiwan|japan|hong kong|(?:south )?korea|republic of korea|singapore|malaysia|thailand|vietnam"
    r"|philippines|indonesia|australia|new zealand|online"
)
_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|"
    r"dec(?:ember)?"
)
# French and Italian articles and prepositions before a vowel: "l'Encéphale", "d'anesthésie", "dell'arteriosclerosi".
_ELISIONS = r"\b(?:[dl]|(?:de|ne|da|su|co)ll|all|qu)['’]"
_PLACE_AND_TIME = rf"(?:,[^,]*)?,\s*(?:{_COUNTRIES})\b.*$|,\s*(?:{_MONTHS})\b\.?[^a-z]*$"
_VOLUMES = r"[,\s]+vols?\b\.?[\s\d,&-]*$"
_BRACKETS = r"[(\[][^()\[\]]*[)\]]"

_ACRONYM = r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*"
_LEAST_INITIALS = 3


def without_additions(venue: pl.Expr) -> pl.Expr:
    """The lower-case text of a venue without brackets, place and date, and what a society adds to its journal's name.

    >>> venues = pl.Series(["Blood : official journal of a society", "Heart. Conference: 3rd Meeting.", "Cancer (Oxford)"])
    >>> pl.select(without_additions(pl.lit(venues))).to_series().to_list()
    ['blood', 'heart', 'cancer']
    """
    text = venue.str.normalize("NFKD").str.replace_all(r"\p{M}+", "").str.to_lowercase()
    bare = text.str.replace_all(_BRACKETS, " ").str.strip_chars(" .,")
    text = pl.when(bare == "").then(text.str.replace_all(r"[()\[\]]", " ")).otherwise(bare)
    for addition in (_MEETING, _SOCIETY, _PLACE_AND_TIME, _VOLUMES):
        text = text.str.replace(addition, "")
    return text.str.strip_chars(" .,:;/-")


def venue_words(venue: pl.Expr) -> pl.Expr:
    """The words that tell of a venue, folded, in order: no stop words, years, ordinals, places, nor what stands in brackets.

    British spelling becomes American ("Haematology", "Tumour").

    >>> text = pl.lit("Proceedings of the 3rd Int. Conf. on Haematology (ICH), Vienna, Austria, May 2019")
    >>> pl.select(venue_words(text)).item().to_list()
    ['int', 'conf', 'hematology']
    """
    return (
        without_additions(venue)
        .str.replace_all(r"\bu\.? ?s\.? ?a\b\.?|\bunited states(?: of america)?\b", " usa ")
        .str.replace_all(r"\bn\.? ?y\b\.?", " new york ")
        .str.replace_all(r"['’]\d\d\b|\b\d+(?:st|nd|rd|th)\b|\d+", " ")
        .str.replace_all(ORDINAL_WORDS, " ")
        # Not at the end: "Transplantation Proceedings".
        .str.replace_all(r"\bproc(?:eedings\b|\b\.?)(?:\s+of\b)?\s+(\S)", " ${1}")
        .str.replace_all(LOST_LETTER, "${1}${2}")
        .str.replace_all(_ELISIONS, " ")
        .str.replace_all(r"['’®]", "")
        .str.replace_all(r"æ|œ|ae", "e")
        .str.replace_all(r"\boe|(f|rh|h|c)oe", "${1}e")
        .str.replace_all(r"our\b", "or")
        # A letter at the end is a section: "Physical Review E".
        .str.replace_all(r"\b[aeiy]\b[\s,]", " ")
        .str.replace_all(rf"\b(?:{_STOP_WORDS})\b", " ")
        .str.extract_all(r"\p{L}+")
    )


def venue_initials(venue: pl.Expr) -> pl.Expr:
    """The initials of a venue's words: the same for a name and its abbreviation, so a key to find both by; null for no words.

    >>> venues = pl.Series(["J. Slow Sci.", "The Journal of Slow Science", "2019"])
    >>> pl.select(venue_initials(pl.lit(venues))).to_series().to_list()
    ['jss', 'jss', None]
    """
    initials = venue_words(venue).list.eval(pl.element().str.head(1)).list.join("")
    return pl.when(initials != "").then(initials)


def written_acronym(venue: pl.Expr) -> pl.Expr:
    """The acronym that a venue's text gives, in lower case: the whole text, in brackets, or before a year or colon; else null.

    >>> venues = pl.Series(["ICSE 2013", "Conference on Maps (CoMa)", "ICSE '13: Proceedings of a conference", "Maps"])
    >>> pl.select(written_acronym(pl.lit(venues))).to_series().to_list()
    ['icse', 'coma', 'icse', None]
    """
    year = r"[\s'’,-]*(?:\d{2}|\d{4})"
    found = pl.coalesce(
        venue.str.extract(rf"^\W*({_ACRONYM})(?:{year})?\W*$"),
        venue.str.extract(rf"[(\[]\s*({_ACRONYM})(?:{year})?\s*[)\]]"),
        venue.str.extract(rf"^\W*({_ACRONYM})(?:(?:{year})?\s*:|{year}\s*[,-])"),
        venue.str.extract(rf"[,–-]\s+({_ACRONYM}){year}\b"),
    )
    return found.str.to_lowercase()


def venue_acronym(venue: pl.Expr) -> pl.Expr:
    """The acronym of a venue, in lower case: the one its text gives, else the initials of three words or more.

    >>> venues = pl.Series(["International Conference on Very Slow Maps", "VLDB", "Circulation"])
    >>> pl.select(venue_acronym(pl.lit(venues))).to_series().to_list()
    ['icvsm', 'vldb', None]
    """
    initials = venue_initials(venue)
    return pl.coalesce(written_acronym(venue), pl.when(initials.str.len_chars() >= _LEAST_INITIALS).then(initials))
