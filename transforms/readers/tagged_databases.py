"""This module is the dialects of tagged text that literature databases write."""

from __future__ import annotations

import re

from transforms.readers.tagged_dialect import Dialect, tag_fields, tags

ISI = Dialect(
    "isi",
    "ISI and Web of Science: FN, PT J … ER, EF",
    """\
FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Lee, A
   Li, B
TI Sorting pebbles by
   sound
SO JOURNAL OF PEBBLES
PY 2024
ER

EF
""",
    hint=re.compile(r"\ufeff?(?:FN [^\r\n]{1,80}\r?\n?VR |PT [A-Z](?:[ \t]*$| ))", re.MULTILINE),
    tag=re.compile(r"([A-Z][A-Z0-9])(?: |(?=[\r\n]|\Z))"),
    opens=tags("PT"),
    closes=tags("ER"),
    parts=re.compile(r"\ufeff?(?:FN|VR) |EF[ \t]*[\r\n]*\Z"),
    fields=tag_fields(
        title="TI",
        authors="AF|AU|BF|BA|CA|GP",
        abstract="AB",
        year="PY",
        date="PD",
        venue="SO|JI|J9|SE",
        volume="VL",
        number="IS",
        pages="PS|BP|EP|AR",
        publisher="PU",
        type="DT|PT",
        keywords="DE|ID",
        doi="DI",
        pmid="PM",
        source_key="UT",
    ),
    others=tags(
        "BE BN BS C1 C3 CL CR CT CY D2 DA EA EI EM ER FU FX GA GE HC HO HP LA MA NR OA OI P2 PA PG PI PN RI RID RP SC SI SN SP "
        "SU TC U1 U2 WC WE Z9"
    ),
    lines_are_values=tags("AF AU BF BA CA GP BE C1 C3 CR"),
    fold=" ",
    pages=("BP", "EP"),
)

MEDLINE = Dialect(
    "medline",
    "Medline and PubMed text (nbib): PMID- …, entries parted by blank lines",
    """\
PMID- 90000001
TI  - Sorting pebbles by
      sound
FAU - Lee, Ann
AU  - Lee A
DP  - 2024 Mar
JT  - Journal of pebbles
LID - 10.5555/pebbles.1 [doi]
""",
    hint=re.compile(r"\ufeff?(?:PMID *-|PMCR?- ?|UI  - )[ \t]*\w", re.MULTILINE),
    tag=re.compile(r"(?=.{4}-)([A-Z][A-Z0-9]{1,3}) *-[ \t]?"),
    opens=tags("PMID PMC PMCR UI"),
    parts=re.compile(r"<\d+>[ \t]*[\r\n]*\Z"),
    blank_parts=True,
    fields=tag_fields(
        title="TI|CTI|TT",
        authors="FAU|AU|CN",
        abstract="AB|OAB",
        date="DP|DEP",
        venue="JT|TA|BTI|SO",
        volume="VI",
        number="IP",
        pages="PG",
        publisher="PB",
        type="PT",
        keywords="OT|MH",
        doi="LID|AID",
        pmid="PMID",
        source_key="UI",
    ),
    others=tags(
        "AD AUID CDAT CI COI COIS CON CP CRDT CRF CRI CTDT DA DCOM DDIN DRIN ECF ECI EDAT EFR EIN ED FED EN FIR FPS GN GR GS "
        "IR IRAD IS ISBN JC JID LA LR MHDA MID NM OCI OID ORI OTO OWN PHST PL PRIN PS PST PUBM RF RIN RN ROF RPF RPI RRF RRI "
        "SB SFM SI SPIN STAT UIN UOF UOI VTI"
    ),
    fold=" ",
    picks={"LID": re.compile(r"10\.\d"), "AID": re.compile(r"10\.\d")},
    key="PMID",
    book_title="BTI",
)

OVID = Dialect(
    "ovid",
    "Ovid's labelled text: the name of a field, its value indented below it",
    """\
<1>
Accession Number
  00000001-202400000-00001.
Author
  Lee, Ann;  Li, Bo
Title
  Sorting Pebbles by Sound
Source
  Journal of Pebbles.   3(2):10-19, April 2024.
""",
    hint=re.compile(
        r"(?:<\d+>[ \t]*|(?:Title|Author|Source|Publication Type)[ \t]*)\r?\n(?:[A-Z][A-Za-z ]{2,30}[ \t]*\r?$|  \S)",
        re.MULTILINE,
    ),
    tag=re.compile(r"([A-Z][A-Za-z]*(?:[ /-][A-Za-z/-]+){0,4})[ \t]*(?=[\r\n]|\Z)"),
    parts=re.compile(r"<\d+>[ \t]*[\r\n]*\Z"),
    fields=tag_fields(
        title="Title|Chapter Title|Book Title",
        authors="Author|Authors",
        abstract="Abstract",
        date="Year of Publication|Publication Date",
        venue="Journal|Source",
        publisher="Publisher",
        type="Document Type|Publication Type",
        keywords="Author Keywords|Key Words|Keywords",
        doi="DOI Number|DOI|Digital Object Identifier",
        source_key="Accession Number|Unique Identifier",
    ),
    others=frozenset({"Score", "Institution", "Status", "Language", "ISSN", "References"}),
    fold=" ",
    source=(
        "Source",
        re.compile(
            r"(?P<venue>[^.]+)\.\s+(?P<volume>\d[\w-]{0,20})(?:\((?P<number>[^()]{1,30})\))?:(?P<pages>[^,]{1,40}),\s*(?P<date>[^.]*)"
        ),
    ),
    author_mark=re.compile(r"(?<![ \t])(?:[ \t]++(?:\d++|[*+#]++|\[Ed\])){1,5}+[ \t]*+(?=;|\Z)"),
)

COPAC = Dialect(
    "copac",
    "Copac's tagged text: TI- …, entries parted by blank lines",
    """\
TI- Sorting pebbles by sound
AU- Lee, Ann
AU- Li, Bo
PU- Ferrytown : Tide Press
PY- 2024
""",
    hint=re.compile(r"TI- \S[^\r\n]*\r?\n(?:    [^\r\n]*\r?\n)*[A-Z]{2}- ", re.MULTILINE),
    tag=re.compile(r"([A-Z][A-Z0-9])- ?"),
    blank_parts=True,
    fields=tag_fields(title="TI", authors="AU", year="PY", venue="SE", publisher="PU", type="DT", keywords="KW"),
    others=tags("ED HL IS NT PD UR"),
    fold=" ",
)

INSPEC = Dialect(
    "inspec",
    "Inspec's and SilverPlatter's tagged text: Record, then TI=… or TI:  …",
    """\
Record 1
AU=Lee, Ann; Li, Bo
TI=Sorting Pebbles by Sound
PY=2024
""",
    hint=re.compile(r"Record\b[^\r\n=]{0,80}\s{1,4}[A-Z]{2}(?:=|: )", re.MULTILINE),
    tag=re.compile(r"([A-Z][A-Z0-9]{1,2})(?:=|:[ \t]{1,2})"),
    parts=re.compile(r"Record\b[^\r\n=]{0,80}[\r\n]*\Z"),
    fields=tag_fields(
        title="TI", authors="AU", abstract="AB", year="PY", venue="SO", type="RT", keywords="ID", doi="DOI", source_key="AN"
    ),
    fold=" ",
)
