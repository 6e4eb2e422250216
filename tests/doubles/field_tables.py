"""Tables as people have them: headers with blanks and capitals, gaps, third classes, rows per annotator, nested records, other encodings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.unit.core.data.datasets.writing import Record, book, lines, put, table

FERRY = "The ferry Alma left Kiel at noon. She carried forty cars. Fog held her back for an hour."
MILL = "The mill at Hagen closed in May. Nine people worked there, most of them for twenty years."
RIGHT = ("The Alma left Kiel at noon with forty cars.", "The mill at Hagen, where nine people worked, closed in May.")
WRONG = (
    "The Alma left Kiel at night with forty cars.",
    "The mill at Hagen, where ninety people worked, closed in May.",
)
YES, NO = "consistent", "inconsistent"


@dataclass(frozen=True)
class FieldTable:
    """A table of somebody: `mapping` is what the terminal prints of how it is read, `note` what the page says.

    `question` is what the page asks about the direction of its labels, of which 1 is consistent.

    `labels` are those of its samples in order, `scores` the number of scores of each metric, `ratings` that of each aspect.
    """

    file: str
    write: Callable[[Path], object]
    mapping: str
    note: str
    labels: Sequence[str | None]
    scores: Sequence[tuple[str, int]] = ()
    ratings: Sequence[tuple[str, int]] = ()
    importer: str = "generic"
    question: str = ""

    @property
    def name(self) -> str:
        return self.file.replace(".", " ")


def _rows(columns: Sequence[str], *rows: Sequence[object]) -> list[Record]:
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _write_utf16(folder: Path) -> None:
    head = "Source\tSummary\tHallucination\n"
    rows = f"{FERRY}\t{RIGHT[0]}\tno\n{FERRY}\t{WRONG[0]}\tyes\n"
    (folder / "unicode text.tsv").write_bytes((head + rows).encode("utf-16"))


FIELD_TABLES = (
    FieldTable(
        "minimal.csv",
        lambda folder: table("minimal.csv")(
            folder,
            _rows(["document", "summary", "edited_summary"], (FERRY, RIGHT[0], WRONG[0]), (MILL, RIGHT[1], WRONG[1])),
        ),
        "no label: edited summaries are inconsistent, the others consistent",
        "Without a label, an edited summary is",
        [YES, NO, YES, NO],
    ),
    FieldTable(
        "edits.jsonl",
        lambda folder: lines("edits.jsonl")(
            folder,
            _rows(
                ["article", "original_summary", "edited_summary", "error_type"],
                (FERRY, RIGHT[0], WRONG[0], "Extrinsic Circumstance Error"),
                (MILL, RIGHT[1], WRONG[1], "Extrinsic Entity Error"),
            ),
        ),
        "error type   error_type",
        "Without a label, an edited summary is",
        [YES, NO, YES, NO],
    ),
    FieldTable(
        "metric gaps.csv",
        lambda folder: table("metric gaps.csv")(
            folder,
            _rows(
                ["ID", "Source", "Summary", "Label", "AlignScore", "Hallucination rate", "Comment"],
                ("a1", FERRY, RIGHT[0], 1, "0.91", "0.02", "fine"),
                ("a2", FERRY, WRONG[0], 0, "N/A", "0,75", "night?"),
                ("b1", MILL, RIGHT[1], 1, "error", "", ""),
                ("b2", MILL, WRONG[1], 0, "Infinity", "1", "ninety"),
            ),
        ),
        "Hallucination rate (lower is better)",
        "Left out: Comment",
        [YES, NO, YES, NO],
        [("AlignScore", 1), ("Hallucination rate (negated)", 3)],
        importer="generic[label_of_1=consistent]",
        question="This summary counts as",
    ),
    FieldTable(
        "levels.csv",
        lambda folder: table("levels.csv")(
            folder,
            _rows(
                ["Document", "Summary", "Consistency", "Coherence", "ROUGE-2"],
                (FERRY, RIGHT[0], 5, 4, "85%"),
                (FERRY, WRONG[0], 1, 4, "79 %"),
                (MILL, RIGHT[1], 4, 5, "66.5%"),
            ),
        ),
        "Consistency is read as a rating that people gave",
        "Consistency is read as a rating that people gave",
        [None, None, None],
        [("ROUGE-2", 3)],
        [("Coherence", 3), ("Consistency", 3)],
    ),
    FieldTable(
        "classes.csv",
        lambda folder: table("classes.csv")(
            folder,
            _rows(
                ["text", "claim", "label"],
                (FERRY, RIGHT[0], "Supported"),
                (FERRY, WRONG[0], "Refuted"),
                (MILL, RIGHT[1], "Not enough info"),
                (MILL, WRONG[1], "unknown"),
            ),
        ),
        "not enough info: no label (1)",
        "“not enough info” (1 of the first rows) is",
        [YES, NO, None, None],
    ),
    FieldTable(
        "halves.jsonl",
        lambda folder: lines("halves.jsonl")(
            folder,
            _rows(
                ["source", "summary", "faithful"],
                (FERRY, RIGHT[0], 1.0),
                (FERRY, WRONG[0], 0.0),
                (MILL, RIGHT[1], 0.5),
            ),
        ),
        "also says 0.5: read as borderline",
        "also says 0.5: read as borderline",
        [YES, NO, "borderline"],
    ),
    FieldTable(
        "annotators.csv",
        lambda folder: table("annotators.csv")(
            folder,
            _rows(
                ["document", "summary", "annotator", "label", "fluency"],
                (FERRY, RIGHT[0], "ann", "yes", 5),
                (FERRY, RIGHT[0], "ben", "yes", 4),
                (FERRY, WRONG[0], "ann", "no", 5),
                (FERRY, WRONG[0], "ben", "yes", 5),
                (FERRY, WRONG[0], "cy", "no", 3),
            ),
        ),
        "annotator    annotator",
        "The label says",
        [YES, NO],
        ratings=[("fluency", 5)],
        importer="generic[label_of_1=consistent]",
        question="This summary counts as",
    ),
    FieldTable(
        "crowd.jsonl",
        lambda folder: lines("crowd.jsonl")(
            folder,
            _rows(
                ["article", "summary", "worker_id", "is_consistent"],
                *((FERRY, text, worker, vote) for worker in ("w1", "w2", "w3") for text, vote in
                  ((RIGHT[0], True), (WRONG[0], worker == "w2"))),
            ),
        ),
        "annotator    worker_id",
        "The label says",
        [YES, NO],
    ),
    FieldTable(
        "records.json",
        lambda folder: put(
            folder,
            "records.json",
            json.dumps(
                {
                    "sample-1": {"document": FERRY, "summary": RIGHT[0], "label": "CORRECT"},
                    "sample-2": {"document": FERRY, "summary": WRONG[0], "label": "INCORRECT"},
                },
                indent=2,
            ),
        ),
        "label        label",
        "The label says",
        [YES, NO],
    ),
    FieldTable(
        "nested.jsonl",
        lambda folder: lines("nested.jsonl")(
            folder,
            [
                {
                    "dialogue": text.split(". "),
                    "samples": [{"summary": right, "label": 1}, {"summary": wrong, "label": 0}],
                }
                for text, right, wrong in zip((FERRY, MILL), RIGHT, WRONG, strict=True)
            ],
        ),
        "document     dialogue",
        "The label says",
        [YES, NO, YES, NO],
        importer="generic[label_of_1=consistent]",
        question="This summary counts as",
    ),
    FieldTable(
        "sheets.xlsx",
        lambda folder: book(
            folder / "sheets.xlsx",
            {
                "Annotation": _rows(["Document", "Summary", "Factual"], (FERRY, RIGHT[0], "yes"), (FERRY, WRONG[0], "no")),
                "Guidelines": _rows(["Rule"], ("Read both.",)),
            },
        ),
        "Other sheets are not read: Guidelines",
        "Other sheets are not read: Guidelines",
        [YES, NO],
    ),
    FieldTable(
        "wide votes.csv",
        lambda folder: table("wide votes.csv")(
            folder,
            _rows(
                ["document", "summary", "annotator_1", "annotator_2", "annotator_3"],
                (FERRY, RIGHT[0], "yes", "yes", "no"),
                (FERRY, WRONG[0], "no", "no", ""),
                (MILL, RIGHT[1], "yes", "no", ""),
            ),
        ),
        "what most annotators say; no label where they tie",
        "what most annotators say; no label where they tie",
        [YES, NO, None],
        importer="generic[label_of_1=consistent]",
        question="This summary counts as",
    ),
    FieldTable(
        "deutsch.csv",
        lambda folder: (folder / "deutsch.csv").write_bytes(
            "document;summary;label\nDie Fähre fuhr um zwölf.;Sie fuhr mittags los.;1\n"
            "Die Fähre fuhr um zwölf.;Sie fuhr nachts los.;0\n".encode("latin-1")
        ),
        "label        label",
        "The file is not UTF-8. Read it as",
        [YES, NO],
        importer="generic[encoding=cp1252,label_of_1=consistent]",
        question="This summary counts as",
    ),
    FieldTable(
        "unicode text.tsv",
        _write_utf16,
        "label        Hallucination",
        "The label says",
        [YES, NO],
    ),
)  # fmt: skip
"""Two or more of each form: minimal pairs, cells that are not all numbers, classes, annotators, nesting, encodings."""
