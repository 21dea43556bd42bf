"""This module is the dialects of tagged text that reference managers write."""

from __future__ import annotations

import re

from transforms.readers.tagged_dialect import Dialect, tag_fields, tags

RIS = Dialect(
    "ris",
    "RIS: TY  - … ER  - , what most databases and reference managers export",
    """\
TY  - JOUR
AU  - Lee, Ann
AU  - Li, Bo
TI  - Sorting Pebbles by Sound
JO  - Journal of Pebbles
PY  - 2024
ER  -
""",
    hint=re.compile(r"[ \t\ufeff]{0,3}(?:TY[ \t]{0,4}-[ \t]*[\w ]{0,30}$|(?:TY|ER)  -)", re.MULTILINE | re.IGNORECASE),
    tag=re.compile(r"([A-Z][A-Z0-9]) {2,4}-[ \t]?"),
    loose_tag=re.compile(r"[ \t\ufeff]{0,3}([A-Za-z][A-Za-z0-9])[ \t]{0,4}-(?=[ \t\r\n]|\Z)"),
    opens=tags("TY"),
    closes=tags("ER"),
    # Beside the abbreviated journal (JA, J1, J2) the full one: JF of JabRef and Reference Manager, JO of IEEE and Springer,
    # T2 of EndNote, Scopus and Zotero. BT is the book's title: of a book its own, of a chapter the venue (`tagged.py`).
    # C7 is the number of an article (Scopus, EndNote).
    fields=tag_fields(
        title="TI|T1|CT|ST",
        authors="AU|A1",
        abstract="AB|N2",
        year="PY|Y1",
        date="DA",
        venue="JF|JO|T2|BT|C3|JA|J2|J1|T3",
        volume="VL",
        number="IS",
        pages="SP|EP|C7",
        publisher="PB",
        type="TY",
        keywords="KW",
        doi="DO|L3",
        url="UR",
        pdf_url="L1",
        urls="L2|LK",
        source_key="ID|AN",
    ),
    others=tags(
        "A2 A3 A4 AD C1 C2 C4 C5 C6 C8 CA CN CP CY DB DP ED ET L4 LA LB LP M1 M2 M3 N1 NO NV OP PP RI RN RP SE SN SV TA TT "
        "U1 U2 U3 U4 U5 VO Y2"
    ),
    pages=("SP", "EP"),
    book_title="BT",
)

ENDNOTE = Dialect(
    "endnote_tagged",
    "EndNote's tagged text (refer): %0 Journal Article, %T …, also of CNKI and Google Scholar",
    """\
%0 Journal Article
%A Lee, Ann
%A Li, Bo
%T Sorting Pebbles by Sound
%J Journal of Pebbles
%D 2024
""",
    hint=re.compile(r"[ \t\ufeff]{0,3}(?:%0(?:[ \t]|$)|%[TA][ \t]+\S[^\r\n]*\r?\n(?:%|[^\r\n]+\r?\n%))", re.MULTILINE),
    tag=re.compile(r"(%[0-9A-Z!@#$&()*+,.?~<>^=\[\]'\";:])(?:[ \t]+|(?=[\r\n]|\Z))"),
    opens=tags("%0"),
    blank_parts=True,
    keeps_blanks=tags("%0"),
    fields=tag_fields(
        title="%T|%!",
        authors="%A",
        abstract="%X",
        year="%D",
        date="%8",
        venue="%J|%B|%S",
        volume="%V",
        number="%N",
        pages="%P",
        publisher="%I",
        type="%0|%9",
        keywords="%K",
        doi="%R",
        url="%U",
        pdf_url="%>",
        source_key="%F|%M",
    ),
    others=tags("%1 %2 %3 %4 %6 %7 %@ %( %) %* %+ %^ %~ %C %E %G %H %L %O %Q %Y %Z %[ %# %$ %& %< %= %? %W"),
)

REFWORKS = Dialect(
    "refworks_tagged",
    "RefWorks' tagged text: RT Journal Article, T1 …, also of CNKI",
    """\
RT Journal Article
SR 1
A1 Lee, Ann
A1 Li, Bo
T1 Sorting Pebbles by Sound
JF Journal of Pebbles
YR 2024
""",
    hint=re.compile(r"\ufeff?RT [A-Z][A-Za-z/, ]+[ \t]*$", re.MULTILINE),
    tag=re.compile(r"([A-Z][A-Z0-9]|vo)(?: |(?=[\r\n]|\Z))"),
    opens=tags("RT"),
    closes=tags("ER"),
    fields=tag_fields(
        title="T1",
        authors="A1",
        abstract="AB",
        year="YR",
        date="FD",
        venue="JF|T2|JO",
        volume="VO|vo",
        number="IS",
        pages="SP|OP",
        publisher="PB",
        type="RT",
        keywords="K1",
        doi="DO",
        url="LK|UL",
        source_key="ID|AN",
    ),
    others=tags("SR A2 A3 A4 A5 A6 AD CL CN DB DS ED JA LA NO OL OT PP PU RD RP SF SN ST T3 U1 U2 U3 U4 U5 WT YF"),
    pages=("SP", "OP"),
)

NOTEEXPRESS = Dialect(
    "noteexpress",
    "NoteExpress' text, as CNKI and Wanfang export it: {Reference Type}: …",
    """\
{Reference Type}: Journal Article
{Title}: Sorting Pebbles by Sound
{Author}: Lee, Ann;Li, Bo;
{Journal}: Journal of Pebbles
{Year}: 2024
""",
    hint=re.compile(r"\ufeff?\{(?:Reference Type|Title)\}:", re.MULTILINE),
    tag=re.compile(r"\{([^{}\r\n]{1,40})\}:[ \t]?"),
    opens=frozenset({"Reference Type"}),
    blank_parts=True,
    keeps_blanks=frozenset({"Reference Type"}),
    fields=tag_fields(
        title="Title",
        authors="Author",
        abstract="Abstract",
        year="Year",
        date="Date",
        venue="Journal|Secondary Title|Source",
        volume="Volume",
        number="Issue",
        pages="Pages",
        publisher="Publisher",
        type="Reference Type",
        keywords="Keywords",
        doi="DOI",
        url="URL",
        source_key="Accession Number",
    ),
)

BIBLIOSCAPE = Dialect(
    "biblioscape",
    "Biblioscape's tagged text: --AU-- …, entries parted by ------",
    """\
--AU-- Lee, A.; Li, B.
--TI-- Sorting Pebbles by Sound
--ST-- Journal of Pebbles
--YP-- 2024
------
""",
    hint=re.compile(r"--(?:AU|TI|ST|RT)-- ", re.MULTILINE),
    tag=re.compile(r"--([A-Z][A-Z0-9])--[ \t]?"),
    parts=re.compile(r"------[ \t]*[\r\n]*\Z"),
    fields=tag_fields(
        title="TI",
        authors="AU",
        abstract="AB",
        year="YP",
        venue="ST",
        volume="VL",
        number="NB",
        pages="PS|PE",
        publisher="PB",
        type="RT|TW",
        keywords="KW",
        doi="DI",
        url="UR",
        urls="AT",
    ),
    others=tags("AD C1 C2 C3 C4 C5 C6 CO ED IS LG NT QA QT SA SB TA TT"),
    pages=("PS", "PE"),
)
