"""This module parses one XML element, safely, and gives it as text, objects and lists."""

from __future__ import annotations

import html.entities
import re
from functools import lru_cache

from lxml import etree

_PARSER = etree.XMLParser(
    resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, remove_comments=True, remove_pis=True,
    huge_tree=False, recover=False,
)  # fmt: skip
"""One element at a time, without a document type: nothing is there to be expanded or fetched. libxml2 refuses what is nested
more than 255 deep, or longer than 10 MB in one text."""

_TEXT_ELEMENTS = frozenset(
    (
        "i", "b", "em", "strong", "sub", "sup", "u", "tt", "italic", "bold", "sc", "inf", "scp", "style", "p", "sec", "span",
        "fixed-case", "tex-math", "math", "inline-formula",
    )
)  # fmt: skip
"""Elements that are mark-up of a text: what holds one of them is a text, also where no word stands outside of it."""

_FACES = {"italic": "i", "superscript": "sup", "subscript": "sub"}
"""What EndNote's `<style face=…>` says, as the tag that cleaning knows; other faces say nothing of the text."""

_MAX_ATTRIBUTES = 1_000
_CROWDED = re.compile(rf"<[^<>\s=]++(?:\s*+[^<>\s=]++\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')){{{_MAX_ATTRIBUTES + 1}}}")
"""A tag with more attributes than any has; lxml looks each up from the first on: 28,000 of them (250 kB) take minutes."""

_KNOWN_PREFIXES = 100
_PREFIX = re.compile(r"[<\s/]([A-Za-z_][\w.-]{0,60}):[A-Za-z_]")
_BAD_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&(?:#(\d{1,7}|x[0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{0,31});)?|<(?![A-Za-z_/!?])")
_XML_ENTITIES = frozenset(("lt", "gt", "amp", "quot", "apos"))


class ElementParser:
    """Parses the elements of one file; it remembers the prefixes of names that the file uses."""

    def __init__(self) -> None:
        self._prefixes: dict[str, None] = {"xsi": None, "xlink": None, "mml": None}
        self._head = self._wrapper(self._prefixes)

    def parse(self, text: str) -> etree._Element:
        """The element that a text is.

        Entities of HTML are resolved, other ones stay as text; so do a bare `&` and a `<` that begins no tag. What XML cannot
        hold (control characters, bad bytes) becomes U+FFFD. A prefix needs no declaration.

        Raises:
            etree.XMLSyntaxError: it is broken otherwise, or has a tag with more attributes than any has.
        """
        if text.count("=") > _MAX_ATTRIBUTES and _CROWDED.search(text):
            raise etree.XMLSyntaxError(f"a tag with more than {_MAX_ATTRIBUTES} attributes", 0, 0, 0)
        try:
            return self._parsed(self._head, text)
        except (etree.XMLSyntaxError, UnicodeEncodeError):
            names = dict.fromkeys(match[1] for match in _PREFIX.finditer(text))
            names.pop("xmlns", None)
            names.pop("xml", None)
            if len(self._prefixes) + len(names) < _KNOWN_PREFIXES:
                self._prefixes |= names
                self._head = self._wrapper(self._prefixes)
            return self._parsed(self._wrapper(names), _mended(text))

    def _parsed(self, head: str, text: str) -> etree._Element:
        root = etree.fromstring(f"{head}{text}</_>".encode(), _PARSER)
        if len(root) != 1:
            raise etree.XMLSyntaxError(f"expected one element, found {len(root)}", 0, 0, 0)
        return root[0]

    def _wrapper(self, prefixes: dict[str, None]) -> str:
        return "<_ " + " ".join(f'xmlns:{prefix}="{prefix}"' for prefix in prefixes) + ">"


def element_value(element: etree._Element) -> object:
    """An element as its text, or as an object: a name for each kind of child, a list where there are several of it.

    Attributes are `@name`, the text beside them is `#text`. A text with mark-up in it stays one, with its tags.
    """
    attributes = element.items()
    value: dict[str, object] = {_attribute_name(name): given for name, given in attributes} if attributes else {}
    if len(element) == 0:
        text = element.text or ""
    else:
        children = element[:]
        names = [local_name(child.tag) for child in children]
        if not _is_text(element, children, names):
            for name, child in zip(names, children, strict=True):
                inner = element_value(child)
                if name not in value:
                    value[name] = inner
                    continue
                known = value[name]
                if isinstance(known, list):
                    known.append(inner)
                else:
                    value[name] = [known, inner]
            return value
        text = _marked_up(element)
    if value and text:
        value["#text"] = text
    return value or text


@lru_cache(maxsize=10_000)
def local_name(name: str) -> str:
    """A name without its namespace.

    >>> local_name("{http://www.loc.gov/mods/v3}mods")
    'mods'
    """
    return name.rpartition("}")[2]


@lru_cache(maxsize=10_000)
def _attribute_name(name: str) -> str:
    return f"@{local_name(name)}"


def _is_text(element: etree._Element, children: list[etree._Element], names: list[str]) -> bool:
    """Whether a word stands among the children of an element, or one of them is mark-up."""
    text = element.text
    if (text and not text.isspace()) or not _TEXT_ELEMENTS.isdisjoint(names):
        return True
    for child in children:
        tail = child.tail
        if tail and not tail.isspace():
            return True
    return False


def _marked_up(element: etree._Element) -> str:
    """The text in an element with the tags in it; `&` and `<` are themselves where no tag is left."""
    text = _inner(element)
    return text if "<" in text else text.replace("&lt;", "<").replace("&amp;", "&")


def _inner(element: etree._Element) -> str:
    parts = [_escaped(element.text)]
    for child in element:
        name = local_name(child.tag)
        if name == "style":
            name = _FACES.get(child.attrib.get("face", ""), "")
            parts += [f"<{name}>", _inner(child), f"</{name}>"] if name else [_inner(child)]
        else:
            name = f"{child.prefix}:{name}" if child.prefix else name
            attributes = "".join(
                f' {local_name(key)}="{_escaped(value).replace(chr(34), "&quot;")}"' for key, value in child.attrib.items()
            )
            parts.append(
                f"<{name}{attributes}>{_inner(child)}</{name}>" if len(child) or child.text else f"<{name}{attributes}/>"
            )
        parts.append(_escaped(child.tail))
    return "".join(parts)


def _escaped(text: str | None) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;") if text else ""


def _mended(text: str) -> str:
    head, *rest = _BAD_CHARACTER.sub("\ufffd", text).split("<![CDATA[")
    parts = [_REFERENCE.sub(_resolved, head)]
    for piece in rest:
        inside, end, after = piece.partition("]]>")
        parts += ["<![CDATA[", inside, end, _REFERENCE.sub(_resolved, after)]
    return "".join(parts)


def _resolved(reference: re.Match[str]) -> str:
    """What a reference to a character or an entity stands for; the sign itself, escaped, where it is none."""
    code, name = reference[1], reference[2]
    if code:
        number = int(code[1:], 16) if code[0] == "x" else int(code)
        is_good = 0 < number < 0x110000 and not _BAD_CHARACTER.match(chr(number))
        return reference[0] if is_good else "\ufffd"
    if name in _XML_ENTITIES:
        return reference[0]
    if name and (character := html.entities.html5.get(f"{name};")):
        return _escaped(character)
    return "&lt;" if reference[0] == "<" else "&amp;" + reference[0][1:]
