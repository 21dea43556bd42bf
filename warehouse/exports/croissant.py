"""This module writes `croissant.json`: the export as Croissant 1.0 has it, the JSON-LD that loaders of machine learning read.

Each file is a FileObject with its sha256. A table of several files is a FileSet of them; part of a split and partition, which
stand in the files' names, are fields as well. Lists are fields of several values, but in CSV, where they are JSON text.
Workbooks and lists of references are files only, as Croissant reads none.
"""

from __future__ import annotations

import re

from warehouse.exports.contents import Contents, ExportedColumn, ExportedTable
from warehouse.exports.request import ENDINGS, MEDIA_TYPES, PARTITIONED_FORMATS
from warehouse.exports.terms import license_page, licenses, terms_sentences

_CONTEXT: dict[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that the specification gives, whole (https://docs.mlcommons.org/croissant/docs/croissant-spec.html)."""

_TYPES = {"integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean", "date": "sc:Date", "datetime": "sc:DateTime"}


def croissant(contents: Contents) -> dict[str, object]:
    """The content of `croissant.json`."""
    homepages = list(dict.fromkeys(source.homepage for source in contents.terms if source.homepage))
    citations = [source.citation for source in contents.terms if source.citation]
    media_type = MEDIA_TYPES[contents.request.format]
    is_tables = contents.request.format in PARTITIONED_FORMATS
    dataset: dict[str, object] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": contents.name,
        "description": " ".join((f"Academic papers: {contents.title}.", *terms_sentences(contents.terms))),
        "license": [license_page(stated) for stated in licenses(contents.terms)],
        "url": homepages[0] if len(homepages) == 1 else None,
        "sameAs": homepages if len(homepages) > 1 else None,
        "citeAs": "\n".join(citations),
        "version": f"{contents.schema_version}.0.0+{contents.release_id}",
        "datePublished": contents.published_at,
        "distribution": [
            *(
                {
                    "@type": "cr:FileObject",
                    "@id": str(file.place),
                    "name": str(file.place),
                    "contentUrl": str(file.place),
                    "contentSize": f"{file.size_bytes} B",
                    "encodingFormat": media_type,
                    "sha256": file.sha256,
                }
                for file in contents.files()
            ),
            *(_file_set(table, contents) for table in contents.tables if is_tables and _is_set(table)),
        ],
        "recordSet": [_record_set(table, contents) for table in contents.tables if is_tables],
    }
    return {name: value for name, value in dataset.items() if value}


def _is_set(table: ExportedTable) -> bool:
    return table.is_split or bool(table.in_folders)


def _file_set(table: ExportedTable, contents: Contents) -> dict[str, object]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{table.name}-files",
        "name": f"{table.name}-files",
        "encodingFormat": MEDIA_TYPES[contents.request.format],
        "includes": f"{table.name}/*{ENDINGS[contents.request.format]}",
    }


def _record_set(table: ExportedTable, contents: Contents) -> dict[str, object]:
    source: dict[str, object] = (
        {"fileSet": {"@id": f"{table.name}-files"}} if _is_set(table) else {"fileObject": {"@id": str(table.files[0].place)}}
    )
    fields = [_column_field(table, column, source, contents) for column in table.columns]
    if table.is_split:
        fields.append(_path_field(table, "split", "part of the split", rf"^.*?{table.name}/([^/.]+)", source))
    for column in table.in_folders:
        meaning = f"{column.meaning} (as its folder's name has it)"
        fields.append(_path_field(table, column.name, meaning, rf"^.*/{re.escape(column.name)}=([^/]+)/", source))
    record_set: dict[str, object] = {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.meaning,
        "key": [{"@id": f"{table.name}/{name}"} for name in table.key],
        "field": fields,
    }
    return {name: value for name, value in record_set.items() if value}


def _column_field(
    table: ExportedTable, column: ExportedColumn, source: dict[str, object], contents: Contents
) -> dict[str, object]:
    is_list = column.is_list and contents.request.format != "csv"
    meaning = column.meaning or column.name
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": f"{meaning} (a JSON array)" if column.is_list and not is_list else meaning,
        "dataType": _TYPES.get(column.type, "sc:Text"),
        **({"repeated": True} if is_list else {}),
        "source": {**source, "extract": {"column": column.name}},
    }


def _path_field(table: ExportedTable, name: str, meaning: str, regex: str, source: dict[str, object]) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{name}",
        "name": name,
        "description": meaning,
        "dataType": "sc:Text",
        "source": {**source, "extract": {"fileProperty": "fullpath"}, "transform": {"regex": regex}},
    }
