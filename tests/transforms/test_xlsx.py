"""Excel workbooks: sheets of papers are read as Excel shows them, every row is accounted for, nothing makes memory grow."""

import datetime
import io
import random
import zipfile

import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transforms.readers.limits import ReadLimits

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def workbook(**sheets: list[list[object]]) -> bytes:
    """A workbook with these sheets of rows."""
    content = io.BytesIO()
    book = xlsxwriter.Workbook(content, {"in_memory": True})
    day, moment, hour = (book.add_format({"num_format": form}) for form in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm", "hh:mm"))
    forms = {datetime.date: day, datetime.datetime: moment, datetime.time: hour}
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for row, cells in enumerate(rows):
            for column, value in enumerate(cells):
                sheet.write(row, column, value, forms.get(type(value)))
    book.close()
    return content.getvalue()


def with_part(content: bytes, name: str, part: str | bytes) -> bytes:
    """A workbook with one part exchanged."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, part if member == name else old.read(member))
    return changed.getvalue()


def with_cells(rows: str) -> bytes:
    """A workbook whose one sheet has these rows in its XML."""
    xml = f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>"
    return with_part(workbook(P=[["title"]]), "xl/worksheets/sheet1.xml", xml)


ROWS = [["Title", "Authors", "Year"], ["Sorting Pebbles", "Ann Lee; Bo Li", 2024], ["Tides", None, 2023.0]]


def test_filled_rows_below_the_header_are_records_at_their_place(stage):
    staged = stage(workbook(Papers=[*ROWS, [], ["Locks", "Cy Day", 2022]]))
    assert staged.facts.reader == "xlsx"
    assert staged.raw == [
        {"Title": "Sorting Pebbles", "Authors": "Ann Lee; Bo Li", "Year": "2024"},
        {"Title": "Tides", "Authors": "", "Year": "2023"},
        {"Title": "Locks", "Authors": "Cy Day", "Year": "2022"},
    ]
    assert staged.records["locator"].to_list() == ["Papers row 2", "Papers row 3", "Papers row 5"]


def test_values_are_texts_as_excel_shows_them(stage):
    values = [
        1.5, 0.1 + 0.2, True, datetime.date(2024, 5, 6), datetime.datetime(2024, 5, 6, 7, 8), datetime.time(7, 8),
        "2024-05-06 00:00:00", " 007 ", "a\nb", 10_000_000_000,
    ]  # fmt: skip
    staged = stage(workbook(P=[["title", *"abcdefghi"], values]))
    shown = ["1.5", "0.3", "true", "2024-05-06", "2024-05-06T07:08:00", "07:08:00"]
    assert list(staged.raw[0].values()) == [*shown, "2024-05-06 00:00:00", " 007 ", "a\nb", "10000000000"]


def test_an_error_in_a_cell_is_called_what_excel_calls_it(stage):
    staged = stage(with_cells(
        '<row r="3"><c r="B3" t="inlineStr"><is><t>title</t></is></c><c r="C3" t="inlineStr"><is><t>n</t></is></c></row>'
        '<row r="4"><c r="B4" t="str"><f>x</f><v>A</v></c><c r="C4" t="e"><v>#DIV/0!</v></c></row>'
        '<row r="5"><c r="B5" t="e"><v>#N/A</v></c></row>'
    ))  # fmt: skip
    assert staged.raw == [{"title": "A", "n": "#DIV/0!"}, {"title": "#N/A", "n": ""}]


def test_a_header_may_stand_below_other_rows_which_are_noted(stage):
    staged = stage(workbook(P=[["Export of 2024"], [], ["", *ROWS[0]], ["", *ROWS[1]]]))
    assert staged.raw[0]["Title"] == "Sorting Pebbles"
    assert staged.facts.message == "before the header: P row 1: Export of 2024"


def test_every_sheet_of_papers_is_read_and_each_other_is_one_reject(stage):
    staged = stage(workbook(A=ROWS, Legend=[["code", "meaning"], ["x", "y"]], Empty=[], B=ROWS[:2]))
    assert staged.records["locator"].to_list() == ["A row 2", "A row 3", "B row 2"]
    assert staged.rejects.select("reason", "locator").rows() == [("unread_part", "Legend")]


def test_a_workbook_without_papers_is_no_list_of_papers(stage):
    assert stage(workbook(A=[["code", "meaning"], ["x", "y"]])).reasons == ["not_a_paper_list"]
    assert stage(workbook(A=[])).reasons == ["not_a_paper_list"]


def test_a_header_without_rows_is_an_empty_list(stage):
    staged = stage(workbook(A=ROWS[:1]))
    assert (staged.facts.verdict, staged.records.height, staged.reasons) == ("read", 0, [])


def test_cells_without_a_place_and_a_row_that_stands_twice_are_accounted_for(stage):
    text = '<c t="inlineStr"><is><t>{}</t></is></c>'
    rows = f"<row>{text.format('title')}</row><row>{text.format('A')}</row>"
    staged = stage(with_cells(rows + '<row r="2"><c r="A2" t="inlineStr"><is><t>B</t></is></c></row>'))
    assert [row["title"] for row in staged.raw] == ["B"]
    assert staged.reasons == ["repeated_row"]


def test_a_broken_sheet_costs_only_itself(stage):
    content = with_part(workbook(A=ROWS, B=ROWS), "xl/worksheets/sheet1.xml", f"<worksheet {MAIN}><sheetData><row r='1'>")
    staged = stage(content)
    assert (staged.records.height, staged.reasons) == (2, ["unread_part"])


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>99</v></c></row>',
        '<row r="1"><c r="ZZZ1"><v>1</v></c><c r="A1"><v>1</v></c></row>',
    ],
    ids=["a cell far away", "no such text", "a column far away"],
)
def test_a_sheet_that_would_take_all_memory_is_not_read(stage, rows):
    staged = stage(with_cells(rows))
    assert staged.reasons == ["broken_xlsx"]


@pytest.mark.parametrize("number", [2**24, 2**32 - 7, 2**63, 10**30])
def test_a_row_with_a_number_beyond_reason_costs_its_sheet(stage, number):
    rows = "".join(f'<row r="{number + n}"><c r="A{number + n}" t="str"><v>title</v></c></row>' for n in range(3))
    staged = stage(with_cells(rows))
    assert staged.reasons == ["broken_xlsx"]
    assert "a row " in staged.facts.message


def test_sheets_of_one_name_are_not_taken_for_each_other(stage):
    content = workbook(A=ROWS, B=[ROWS[0], ["Locks", "Cy Day", 2022], ["Ferns", "Cy Day", 2022]])
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        renamed = package.read("xl/workbook.xml").replace(b'name="B"', b'name="A"')
    staged = stage(with_part(content, "xl/workbook.xml", renamed))
    assert staged.reasons == ["broken_xlsx"]
    assert "more than one sheet is named 'A'" in staged.facts.message


def test_a_zip_file_that_points_before_its_beginning_is_broken(stage):
    content = bytearray(workbook(A=ROWS))
    end = content.rindex(b"PK\x05\x06")
    place = end + 16  # where the list of parts begins; all places shift by as much as it is wrong
    content[place : place + 4] = (int.from_bytes(content[place : place + 4], "little") + 50_000).to_bytes(4, "little")
    assert stage(bytes(content)).reasons == ["broken_xlsx"]


def test_a_text_that_is_used_without_end_is_not_read(stage):
    used = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 400))
    content = with_part(with_cells(used), "xl/sharedStrings.xml", f"<sst {MAIN}><si><t>{'x' * 9_000}</t></si></sst>")
    staged = stage(content, limits=ReadLimits(document_bytes=2_000_000))
    assert "more than limits.document_bytes" in staged.facts.message


def test_a_bomb_is_refused_by_its_size_and_a_size_that_lies_by_its_checksum(stage):
    content = with_part(workbook(A=ROWS), "xl/worksheets/sheet1.xml", b" " * 5_000_000)
    assert stage(content, limits=ReadLimits(document_bytes=1_000_000)).reasons == ["document_too_large"]
    declared = (5_000_000).to_bytes(4, "little")
    assert stage(content.replace(declared, (900).to_bytes(4, "little"))).reasons == ["broken_xlsx"]


def test_a_workbook_that_unpacks_to_hundreds_of_times_its_size_is_refused(stage):
    bomb = stage(with_cells("<row/>" * 3_000_000))
    assert bomb.reasons == ["document_too_large"]
    assert "more than 200 times as many" in bomb.facts.message
    rows = "".join(f'<row r="{n}"><c r="A{n}" t="str"><v>title</v></c></row>' for n in range(1, 5_000))
    assert stage(with_cells(rows)).records.height == 4_998


def test_entities_are_not_expanded(stage):
    part = f'<!DOCTYPE x [<!ENTITY a "b">]><worksheet {MAIN}><sheetData/></worksheet>'
    staged = stage(with_part(workbook(A=ROWS, B=ROWS), "xl/worksheets/sheet1.xml", part))
    assert (staged.records.height, staged.reasons) == (2, ["unread_part"])


def test_other_zip_files_and_office_files_are_not_taken(stage):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", "<w/>")
    assert stage(content.getvalue()).facts.reader is None


@pytest.fixture(scope="module")
def sound():
    return workbook(A=[*ROWS, *([f"Pebbles {n}", "Ann Lee", 2000 + n] for n in range(30))], B=[["code"], [1]])


@settings(max_examples=100, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 20), is_cut=st.booleans())
def test_a_damaged_workbook_never_fails_and_always_balances(stage, sound, seed, count, is_cut):
    dice, content = random.Random(seed), bytearray(sound)
    for _ in range(count):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    staged = stage(bytes(content[: dice.randrange(1, len(content))] if is_cut else content))
    assert "reader_failed" not in staged.reasons


@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 8))
def test_damaged_xml_in_a_sound_workbook_never_fails_and_always_balances(stage, sound, seed, count):
    dice, name = random.Random(seed), "xl/worksheets/sheet1.xml"
    if seed % 3 == 0:
        name = ("xl/sharedStrings.xml", "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels")[seed // 3 % 4]
    part = bytearray(zipfile.ZipFile(io.BytesIO(sound)).read(name))
    for _ in range(count):
        part[dice.randrange(len(part))] = dice.choice(b'<>"/=19ArRcvtse ')
    assert "reader_failed" not in stage(with_part(sound, name, bytes(part))).reasons


def test_ids_of_openreview_are_known_by_their_form(stage):
    rows = [["", "rating"], ["2p_5F9sHN9", 6], ["vyn49BUAkoD", 3], ["nUoI0DKg_Ti", 3]]
    assert stage(workbook(P=rows)).records["openreview_id_raw"].to_list() == ["2p_5F9sHN9", "vyn49BUAkoD", "nUoI0DKg_Ti"]
    assert stage(workbook(P=[*rows, ["plain", 1]])).facts.verdict == "not_a_paper_list"
