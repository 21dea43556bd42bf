"""This module writes `datapackage.json`: the export as a Frictionless Data Package (v2): schemas, keys, hashes."""

from __future__ import annotations

from transforms.schemas import TABLES
from warehouse.exports.contents import Contents, ExportedColumn, ExportedTable
from warehouse.exports.request import CITATION_FORMATS, MEDIA_TYPES
from warehouse.exports.terms import license_page, licenses, terms_sentences

FOREIGN_KEYS: tuple[tuple[str, str, str, str], ...] = (
    *(
        (name, "paper_id", "papers", "paper_id")
        for name in ("authorships", "identifiers", "links", "records", "field_origins", "paper_relations")
    ),
    ("paper_relations", "other_paper_id", "papers", "paper_id"),
    ("paper_aliases", "current_paper_id", "papers", "paper_id"),
    ("record_notes", "record_id", "records", "record_id"),
    ("field_origins", "record_id", "records", "record_id"),
    *(
        (name, "file_sha256", "raw_files", "file_sha256")
        for name in ("records", "rejects", "furniture", "control_totals", "column_map", "ledger")
    ),
)
"""Table and column, and the table and column that it leads to."""

_CSV_DIALECT = {"delimiter": ",", "lineTerminator": "\r\n", "quoteChar": '"', "doubleQuote": True, "header": True}

_LEADS_ANYWHERE = ("other_paper_id", "current_paper_id")
"""Columns that lead to papers which a condition may have left out."""


def data_package(contents: Contents) -> dict[str, object]:
    """The content of `datapackage.json`."""
    homepages = list(dict.fromkeys(source.homepage for source in contents.terms if source.homepage))
    package: dict[str, object] = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": contents.name,
        "title": contents.title,
        "description": " ".join(("Academic papers and where they come from.", *terms_sentences(contents.terms))),
        "version": f"{contents.schema_version}.0.0+{contents.release_id}",
        "created": contents.published_at,
        "homepage": homepages[0] if len(homepages) == 1 else None,
        "licenses": [
            {"path": license_page(stated)} if "://" in stated else {"name": stated, "path": license_page(stated)}
            for stated in licenses(contents.terms)
        ],
        "sources": [
            {"title": source.name, **({"path": source.homepage} if source.homepage else {})} for source in contents.terms
        ],
        "resources": [_resource(table, contents) for table in contents.tables],
        "paperlake": {
            "release_id": contents.release_id,
            "schema_version": contents.schema_version,
            "published_at": contents.published_at,
            **contents.options,
            "sources": [
                {
                    "name": source.name,
                    "license": source.license,
                    "homepage": source.homepage,
                    "citation": source.citation,
                }
                for source in contents.terms
            ],
            "notes": list(contents.notes),
        },
    }
    return {name: value for name, value in package.items() if value}


def _resource(table: ExportedTable, contents: Contents) -> dict[str, object]:
    format = contents.request.format
    places = [str(file.place) for file in table.files]
    resource: dict[str, object] = {
        "name": table.name,
        "path": places[0] if len(places) == 1 else places,
        "description": table.meaning,
        "format": "json" if format == "csl-json" else format,
        "mediatype": MEDIA_TYPES[format],
        "encoding": None if format in ("parquet", "xlsx") else "utf-8",
    }
    if len(table.files) == 1:
        resource["bytes"] = table.files[0].size_bytes
        resource["hash"] = f"sha256:{table.files[0].sha256}"
    else:
        resource["files"] = [
            {"path": str(file.place), "bytes": file.size_bytes, "hash": f"sha256:{file.sha256}"} for file in table.files
        ]
    if format not in CITATION_FORMATS:
        resource["schema"] = _schema(table, contents)
    if format == "csv":
        resource["dialect"] = _CSV_DIALECT
    elif format == "xlsx":
        resource["dialect"] = {"sheetName": table.sheets[0], "header": True}
        resource["sheets"] = list(table.sheets)
    if table.in_folders:
        resource["partitionedBy"] = [_field(column) for column in table.in_folders]
    # Frictionless counts the rows of what it is told to be a table.
    resource["entries" if format in CITATION_FORMATS else "rows"] = table.counted.rows
    return {name: value for name, value in resource.items() if value is not None}


def _schema(table: ExportedTable, contents: Contents) -> dict[str, object]:
    """The Table Schema of a table: its columns, and those of its keys that stand in its files."""
    names = [column.name for column in table.columns]
    schema: dict[str, object] = {"fields": [_field(column, table.key) for column in table.columns]}
    if contents.request.format == "csv":
        schema["missingValues"] = [""]
    if table.key and set(table.key) <= set(names):
        schema["primaryKey"] = list(table.key)
    keys = [
        {"fields": [column], "reference": {"resource": other, "fields": [other_column]}}
        for name, column, other, other_column in FOREIGN_KEYS
        if name == table.name and column in names and _is_there(other, other_column, contents)
        if contents.request.where is None or column not in _LEADS_ANYWHERE
    ]
    return schema | ({"foreignKeys": keys} if keys else {})


def _is_there(name: str, column: str, contents: Contents) -> bool:
    """Whether a column is exported, in the files of its table."""
    tables = {table.name: table for table in contents.tables}
    return name in TABLES and name in tables and column in [each.name for each in tables[name].columns]


def _field(column: ExportedColumn, key: tuple[str, ...] = ()) -> dict[str, object]:
    """A field. Only columns of keys are required: CSV knows no difference between an empty text and none."""
    constraints: dict[str, object] = {}
    if column.name in key and not column.nullable:
        constraints["required"] = True
    if column.words:
        constraints["enum"] = list(column.words)
    field: dict[str, object] = {"name": column.name, "type": column.type, "description": column.meaning}
    if column.type == "datetime":
        field["format"] = "any"
    return {name: value for name, value in (field | {"constraints": constraints}).items() if value}
