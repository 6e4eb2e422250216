"""Random tables of summaries as programs and people write them: the file, and the rows that are in it."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random

import pandas as pd
from openpyxl import Workbook

from core.types import Verdict

_WORDS = {
    "en": "harbour board winter channel mayor seals bridge library council roof prize valley storm crew noon island toll".split(),
    "de": "Fähre Brücke Stürme Rathaus Bürger größer schön zwölf Straße Möwe Bücher über Köln Hafen Schnee".split(),
    "fr": "été naïve façade élève forêt où château garçon hôpital reçu neige pêche noël côté".split(),
    "zh": "港口 委员会 开会 投票 决定 冬季 疏浚 北航道 学生 图书馆 市长 大桥".split(),
    "ru": "совет порта собрался понедельник зима канал студенты мост город дождь вечер".split(),
}
_UNICODE = ("utf-8",) * 4 + ("utf-8-sig",) * 3 + ("utf-16", "utf-16-le", "utf-16-be")
_OLD_ENCODINGS = {"de": "cp1252", "fr": "cp1252", "zh": "gb18030", "ru": "cp1251"}
_LABELS = (
    ("1", "0"),
    ("consistent", "inconsistent"),
    ("True", "False"),
    ("faithful", "unfaithful"),
    ("yes", "no"),
    ("1.0", "0.0"),
)
_ANSWERS = ("1", "True", "yes", "1.0")
_CONTAINERS = ("text",) * 7 + ("xlsx", "json", "gzip")
_SCORES = ("rouge2", "bartscore")


@dataclass(frozen=True)
class RandomTable:
    """A file and its rows: document, summary, label, and a score where there is a column of them."""

    path: Path
    rows: list[tuple[str, str, Verdict, float | None]]
    form: str
    encoding: str = "utf-8"
    asks: bool = False
    """True if neither the words of the label nor its name say which of them is consistent."""


def random_table(seed: int, folder: Path) -> RandomTable:
    """The table of a seed, written into a folder."""
    random = Random(seed)
    language = random.choice(list(_WORDS))
    container = random.choice(_CONTAINERS)
    quoting = random.choice(("minimal", "all", "nonnumeric", "spaced", "text", "backslash"))
    delimiter = random.choice(",,,;;\t\t|")
    right, wrong = random.choice(_LABELS)
    names = random.choice(
        (
            ("document", "summary", "label"),
            ("article", "claim", "is_supported"),
            ("source", "generated_summary", "verdict"),
            ("text", "summary", "faithful"),
        )
    )
    asks = right in _ANSWERS and names[2] in ("label", "verdict")
    has_score = random.random() < 0.4
    has_id = random.random() < 0.5
    texts = _Texts(random, language, container, quoting, delimiter)
    number = random.randint(4, 30)
    rows = []
    for place in range(number):
        verdict = (Verdict.CONSISTENT, Verdict.INCONSISTENT)[place % 2 if place < 2 else random.randint(0, 1)]
        score = round(random.uniform(-5, 1), 3) if has_score else None
        rows.append((texts.passage(random.randint(2, 4)), texts.passage(1), verdict, score))
    header = [*(["id"] if has_id else []), *names, *([random.choice(_SCORES)] if has_score else [])]
    cells = [
        [
            *([f"r{place}"] if has_id else []),
            document,
            summary,
            right if verdict is Verdict.CONSISTENT else wrong,
            *([score] if score is not None else []),
        ]
        for place, (document, summary, verdict, score) in enumerate(rows)
    ]
    form = f"{seed}: {language} {container}"
    if container == "xlsx":
        return RandomTable(_write_workbook(random, folder / f"t{seed}.xlsx", header, cells), rows, form, asks=asks)
    if container == "json":
        return RandomTable(_write_json(random, folder / f"t{seed}.json", header, cells), rows, form, asks=asks)
    decimal = "," if delimiter == ";" and random.random() < 0.6 else "."
    above = random.choice(("", "", "", "", "title", "sep", "survey"))
    is_old = language in _OLD_ENCODINGS and random.random() < 0.1
    encoding = _OLD_ENCODINGS[language] if is_old else random.choice(_UNICODE)
    text = _text(header, cells, quoting, delimiter, decimal)
    text = _above(above, header, delimiter) + text if above != "survey" else _surveyed(text, header, quoting, delimiter)
    text = text.replace("\r\n", random.choice(("\r\n", "\n", "\n")))
    ending = random.choice(("csv", "csv", "txt", "tsv" if delimiter == "\t" else "csv"))
    path = folder / f"t{seed}.{ending}"
    content = text.encode(encoding)
    path.write_bytes(gzip.compress(content) if container == "gzip" else content)
    return RandomTable(
        path,
        rows,
        f"{form} {quoting} {delimiter!r} {decimal} {above} {encoding} {ending}",
        encoding if is_old else "utf-8",
        asks,
    )


class _Texts:
    """Sentences of random words, with those marks that the table can hold."""

    def __init__(self, random: Random, language: str, container: str, quoting: str, delimiter: str) -> None:
        self._random, self._words = random, _WORDS[language]
        marks = ["", "", "", "; ", ", ", ' "{}" ', " 3.20 "]
        if container in ("xlsx", "json") or quoting in ("minimal", "all", "nonnumeric", "backslash"):
            marks += ["\n", "\t", " | "]
        elif quoting == "text":
            marks += [' "']
            marks = [mark for mark in marks if delimiter not in mark]
        else:
            marks = [mark for mark in marks if '"' not in mark]
        self._marks = marks

    def passage(self, sentences: int) -> str:
        made = []
        for _ in range(sentences):
            words = [self._random.choice(self._words) for _ in range(self._random.randint(5, 9))]
            place = self._random.randint(1, len(words) - 1)
            mark = self._random.choice(self._marks)
            words.insert(place, mark.format(self._random.choice(self._words)).strip(" ") if mark.strip() else "")
            made.append(" ".join(word for word in words if word) + (mark if mark in ("\n", "\t") else "") + " end.")
        return " ".join(made)


def _text(header: list[str], cells: list[list[object]], quoting: str, delimiter: str, decimal: str) -> str:
    rows = [header, *[[_number(cell, decimal) for cell in row] for row in cells]]
    if quoting == "text":
        return "".join(delimiter.join(map(str, row)) + "\r\n" for row in rows)
    if quoting == "spaced":
        quoted = [[f'"{cell}"' if place else cell for cell in row] for place, row in enumerate(rows)]
        return "".join(f"{delimiter} ".join(map(str, row)) + "\r\n" for row in quoted)
    kinds = {"all": csv.QUOTE_ALL, "nonnumeric": csv.QUOTE_NONNUMERIC}
    options = {"doublequote": False, "escapechar": "\\"} if quoting == "backslash" else {}
    file = StringIO()
    csv.writer(file, delimiter=delimiter, quoting=kinds.get(quoting, csv.QUOTE_MINIMAL), **options).writerows(rows)
    return file.getvalue()


def _number(cell: object, decimal: str) -> object:
    if isinstance(cell, float):
        return str(cell).replace(".", decimal) if decimal == "," else cell
    return str(cell).replace(".", ",") if decimal == "," and cell in ("1.0", "0.0") else cell


def _above(kind: str, header: list[str], delimiter: str) -> str:
    if kind == "title":
        return f"Human study{delimiter * (len(header) - 1)}\r\n\r\n"
    return f"sep={delimiter}\r\n" if kind == "sep" else ""


def _surveyed(text: str, header: list[str], quoting: str, delimiter: str) -> str:
    """With the questions and the import ids of a survey below the header."""
    questions = _text([f"What is the {name}?" for name in header], [], quoting, delimiter, ".")
    ids = _text(
        [json.dumps({"ImportId": f"QID{place}"}) for place, _ in enumerate(header)], [], quoting, delimiter, "."
    )
    first, separator, rest = text.partition("\r\n")
    return first + separator + questions + ids + rest


def _write_workbook(random: Random, path: Path, header: list[str], cells: list[list[object]]) -> Path:
    book = Workbook()
    if random.random() < 0.3:
        book.active.append(["Study of the spring"])
        book.active.append([])
    for row in [header, *cells]:
        book.active.append(row)
    book.save(path)
    book.close()
    return path


def _write_json(random: Random, path: Path, header: list[str], cells: list[list[object]]) -> Path:
    frame = pd.DataFrame(cells, columns=header)
    orient = random.choice(("records", "columns", "split", "index", "table", "lists", "lines", "concatenated"))
    if orient == "lists":
        path.write_text(json.dumps(frame.to_dict("list")))
    elif orient == "lines":
        frame.to_json(path, orient="records", lines=True)
    elif orient == "concatenated":
        path.write_text("\n".join(json.dumps(record, indent=1) for record in frame.to_dict("records")))
    else:
        frame.to_json(path, orient=orient)
    return path
