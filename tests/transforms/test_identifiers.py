"""Tests of transforms.identifiers: each scheme's normal form, and what is no identifier."""

import polars as pl
import pytest

from transforms.frames import polars_schema
from transforms.identifiers import SCHEME_ORDER, clean_identifiers
from transforms.staged_schemas import STAGED_RECORDS


def identifiers_of(**fields):
    """The identifiers of one record with these fields, as `scheme:value`."""
    row = {"ordinal": 1, "locator": "row 1", "raw": "{}", **fields}
    staged = pl.DataFrame([row], schema=polars_schema(STAGED_RECORDS.columns), orient="row")
    return [f"{found['scheme']}:{found['value']}" for found in clean_identifiers(staged).to_list()[0]]


@pytest.mark.parametrize(
    ("doi_raw", "expected"),
    [
        ("10.1145/2835487", "10.1145/2835487"),
        ("https://doi.org/10.1145/2835487.", "10.1145/2835487"),
        ("doi:10.1145/ABC.Def", "10.1145/abc.def"),
        ("DOI 10.1007%2Fs00125-005-1.", "10.1007/s00125-005-1"),
        ("10.1016/S0140-6736(05)61-8", "10.1016/s0140-6736(05)61-8"),
        ("(10.1016/j.x.2005.1)", "10.1016/j.x.2005.1"),
        ("https://doi.org/10.1007%252Fs00125-005-1", "10.1007/s00125-005-1"),
        ("https://link.springer.com/chapter/10.1007/978-3-031-19836-6 _31", "10.1007/978-3-031-19836-6_31"),
    ],
)
def test_a_doi_is_bare_and_lower_case(doi_raw, expected):
    assert identifiers_of(doi_raw=doi_raw) == [f"doi:{expected}"]


@pytest.mark.parametrize(
    "doi_raw", ["", "n/a", "10.1145", "10.1145/", "10.12/x", "10.1145/nnnnnnn.nnnnnnn", "10.1145/1122445.1122456"]
)
def test_a_placeholder_or_malformed_doi_is_dropped(doi_raw):
    assert identifiers_of(doi_raw=doi_raw) == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://doi.org/10.1145/2835487", ["doi:10.1145/2835487"]),
        ("http://dx.doi.org/10.1145%2F2835487.", ["doi:10.1145/2835487"]),
        ("doi:10.1145/2835487", ["doi:10.1145/2835487"]),
        ("doi: 10.1145/2835487", ["doi:10.1145/2835487"]),
        ("10.1145/2835487", ["doi:10.1145/2835487"]),
        ("https://dl.acm.org/doi/pdf/10.1145/2835487?download=true", ["doi:10.1145/2835487"]),
        ("https://openreview.net/forum?id=GN921JHCRw", ["openreview:GN921JHCRw"]),
        ("https://openreview.net/pdf?id=-_FVMKvxVCQo1", ["openreview:-_FVMKvxVCQo1"]),
        ("https://openreview.net/forum?noteId=abcdef&id=GN921JHCRw", ["openreview:GN921JHCRw"]),
        ("https://openreview.net/pdf/1414c23eb8af2e30daa25a4f53471f69091f48d9.pdf", []),
        ("https://arxiv.org/abs/2301.12345v2", ["arxiv:2301.12345"]),
        ("http://arxiv.org/pdf/hep-th/9901001.pdf", ["arxiv:hep-th/9901001"]),
        ("https://aclanthology.org/2022.acl-long.1.pdf", ["acl:2022.acl-long.1"]),
        ("https://www.aclweb.org/anthology/P19-1001/", ["acl:P19-1001"]),
        ("https://proceedings.mlr.press/v189/huang23a/huang23a.pdf", ["pmlr:v189/huang23a"]),
        ("https://raw.githubusercontent.com/mlresearch/v256/main/assets/verma24a/verma24a.pdf", ["pmlr:v256/verma24a"]),
        ("https://openaccess.thecvf.com/content_CVPR_2020/html/Li_Two_CVPR_2020_paper.html", ["cvf:li_two_cvpr_2020"]),
        ("https://openaccess.thecvf.com/content/CVPR2022W/A/papers/Li_Two_CVPRW_2022_paper.pdf", ["cvf:li_two_cvprw_2022"]),
        ("https://openaccess.thecvf.com/content/CVPR2022/supplemental/Li_Two_CVPR_2022_supplemental.pdf", []),
        ("https://papers.nips.cc/paper/2006/file/05b8caaf6ba6f4bdb68675ab8b893bda-Paper.pdf",
         ["neurips:2006/05b8caaf6ba6f4bdb68675ab8b893bda"]),
        ("https://www.ijcai.org/proceedings/2024/0176.pdf", ["ijcai:2024/176"]),
        ("https://ieeexplore.ieee.org/document/1302395/", ["ieee:1302395"]),
        ("https://pubmed.ncbi.nlm.nih.gov/12345678/", ["pmid:12345678"]),
        ("https://example.org/2301.12345", []),
    ],
)  # fmt: skip
def test_an_address_names_its_identifier(address, expected):
    assert (
        identifiers_of(url_raw=address)
        == identifiers_of(urls_raw=["x", address])
        == identifiers_of(pdf_url_raw=address)
        == expected
    )


def test_arxiv_version_is_dropped_and_a_month_that_is_none_is_no_id():
    assert identifiers_of(arxiv_id_raw="arXiv:2301.12345v3") == ["arxiv:2301.12345"]
    assert identifiers_of(arxiv_id_raw="2301.12345v2") == ["arxiv:2301.12345"]
    assert identifiers_of(arxiv_id_raw="2313.12345") == []


def test_the_volume_of_a_preprint_names_it_but_another_volume_does_not():
    assert identifiers_of(volume_raw="abs/2301.12345", arxiv_id_raw="ArXiv") == ["arxiv:2301.12345"]
    assert identifiers_of(volume_raw="abs/2301.12345", arxiv_id_raw="2301.54321") == ["arxiv:2301.54321"]
    assert identifiers_of(volume_raw="2301.12345") == []


def test_an_arxiv_doi_is_the_arxiv_id_it_names():
    assert identifiers_of(doi_raw="10.48550/arXiv.2301.00001") == ["arxiv:2301.00001"]


def test_an_acl_doi_names_the_anthology_id_too():
    assert identifiers_of(doi_raw="10.18653/v1/p19-1001") == ["acl:P19-1001", "doi:10.18653/v1/p19-1001"]


def test_ids_given_as_such_are_kept_and_placeholders_are_not():
    assert identifiers_of(openreview_id_raw="GN921JHCRw", pmid_raw="PMID: 0123", acl_id_raw="p19-1001") == [
        "acl:P19-1001", "openreview:GN921JHCRw", "pmid:123",
    ]  # fmt: skip
    assert identifiers_of(openreview_id_raw="unknown", pmid_raw="none", acl_id_raw="x") == []


def test_every_scheme_has_a_rank():
    assert len(SCHEME_ORDER) == len(set(SCHEME_ORDER)) and SCHEME_ORDER[0] == "doi" and SCHEME_ORDER[-1] == "arxiv"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("doi:10.1145/2835487", ["doi:10.1145/2835487"]),
        ("https://doi.org/10.1145/ABC", ["doi:10.1145/abc"]),
        (" 10.1145/2835487. ", ["doi:10.1145/2835487"]),
        ("Corrigendum to On Gravel (10.1145/2835487)", []),
        ("On Gravel doi:10.1145/2835487", []),
        ("10.5 Million Stones", []),
    ],
)
def test_a_title_that_is_nothing_but_a_doi_is_one(title, expected):
    assert identifiers_of(title_raw=title) == expected
