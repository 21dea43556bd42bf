"""This module tells what kind of venue a text names: conference, journal, workshop, preprint or book."""

from __future__ import annotations

import polars as pl

# Each rule is asked in turn; the first that holds tells.
_RULES = (
    (
        "preprint",
        r"\b(?:arxiv|\w+rxiv|corr abs|preprints?|ssrn|research square|(?:technical|research) reports?|tech\.? rep"
        r"|(?:working|discussion) papers?)\b|^corr$",
    ),
    ("workshop", r"\bworkshops?\b|\bwkshps?\b|\bwksp\b|^(?:cvpr|iccv|eccv|wacv|iclr|icml|kdd)w\b"),
    # "Proceedings of" that come out as journals do; the journals of meeting abstracts ("Circulation. Conference: …").
    (
        "journal",
        r"\bproc(?:eedings|\.)? (?:of )?(?:the )?(?:natl\.? acad|national academy|ieee$|vldb endow|royal society|r\.? soc"
        r"|london math|american (?:math|philos)|acm on|combustion|institution of)"
        r"|\bvldb endow|\b(?:pvldb|pacm\w*)\b|\bjournal\b.*\bconference\b|\S\. ?conference:"
        r"|\b(?:transplantation|mayo clinic) proceedings\b",
    ),
    ("conference", r"\b(?:conferences?|conf|symposi(?:um|a)|symp|congress|meetings?|colloquium|convention|kongress|tagung)\b"),
    (
        "journal",
        r"\b(?:journal|transactions|annals|annales|archives|quarterly|letters|bulletin|magazine|reviews?|newsletter|acta|gazette"
        r"|zeitschrift|revista|revue|rivista|giornale|zazhi|zasshi|zhurnal|dergisi|tijdschrift|archiv|j|jnl|trans|ann|lett|bull"
        r"|arch|rev|curr opin|expert opin|current opinion|expert opinion|trends in|communications of the acm|commun\.? acm)\b",
    ),
    ("conference", r"\bproceedings\b|\bproc\b"),
    (
        "book",
        r"\blecture notes\b|\blncs\b|\bhandbook\b|\bencyclop(?:a?e|æ)dia\b|\bstudies in\b|\bsynthesis lectures\b|\btextbook\b"
        r"|\bcommunications in computer and information science\b|\badvances in intelligent systems and computing\b"
        r"|\bmethods in molecular biology\b|\bpress$",
    ),
)


def venue_kind(venue: pl.Expr) -> pl.Expr:
    """The kind of venue that its text tells; null where nothing tells.

    >>> venues = pl.Series(["Journal of Maps", "Proc. of the 3rd Symp. on Maps", "arXiv", "Maps 2020 Workshop", "Circulation"])
    >>> pl.select(venue_kind(pl.lit(venues))).to_series().to_list()
    ['journal', 'conference', 'preprint', 'workshop', None]
    """
    text = venue.str.to_lowercase()
    return pl.coalesce(*(pl.when(text.str.contains(pattern)).then(pl.lit(kind)) for kind, pattern in _RULES))
