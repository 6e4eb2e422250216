"""Report on the mapping of a table, for a person to check: a line for each used column, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from core.data.datasets.formats.column_inference import votes_direction
from core.data.datasets.formats.column_map import (
    UNLABELLED_WORDS,
    ColumnMap,
    is_filled,
    label_words,
    open_classes,
)
from core.data.datasets.formats.fields import table_number
from core.data.datasets.formats.label_answers import open_scores, open_votes
from core.data.datasets.formats.label_column import Basis, choose_label, read_label
from core.data.datasets.formats.polarity import is_measurement, names_people
from core.data.datasets.formats.text_files import Row
from core.types import Verdict

_NAMED_COLUMNS = 30


def format_mapping(
    columns: ColumnMap, rows: Sequence[Row], other_sheets: Sequence[str] = (), ground: str = ""
) -> list[str]:
    """The lines: a field and its column, what the label's words mean and on what ground, what is left out, and what to check."""
    lines = [f"{field.replace('_', ' '):12} {column}" for field, column in columns.single().items()]
    lines += [f"{'annotators':12} {', '.join(columns.annotators)}"] if columns.annotators else []
    lines += [f"{'ratings':12} {', '.join(columns.ratings)}"] if columns.ratings else []
    lines += [f"{'slices':12} {', '.join(columns.slices)}"] if columns.slices else []
    scores = [
        f"{score.column} ({'lower' if score.lower_is_better else 'higher'} is better{', edited side' if score.edited else ''})"
        for score in columns.scores
    ]
    lines += [f"{'scores':12} {', '.join(scores)}"] if scores else []
    lines += [f"{'label says':12} {meaning}" for meaning in label_meanings(columns, rows)]
    lines += [f"{'known by':12} {ground}"] if ground else []
    unmapped = left_out(columns, rows)
    people = [column for column in unmapped if names_people(column)]
    measured = [column for column in unmapped if is_measurement(column)]
    others = [column for column in unmapped if column not in (*people, *measured)]
    lines += [f"{'who answered':12} {', '.join(people[:_NAMED_COLUMNS])}"] if people else []
    lines += [f"{'measured':12} {', '.join(measured[:_NAMED_COLUMNS])}"] if measured else []
    lines += [f"{'left out':12} {', '.join(others[:_NAMED_COLUMNS])}"] if others else []
    return [*lines, *(f"{'check':12} {question}" for question in open_questions(columns, rows, other_sheets))]


def label_ground(columns: ColumnMap, rows: Sequence[Row], stated: Collection[str] = ()) -> tuple[Basis, str] | None:
    """The ground on which the label's direction is read, and its reason; None without a label."""
    if not columns.label:
        return None
    reading = read_label(rows, columns.label, (columns.document, columns.summary), columns.label in stated)
    return (
        (reading.basis, reading.reason)
        if reading
        else (Basis.UNKNOWN, "nothing says which of its classes is consistent")
    )


def label_record(
    columns: ColumnMap, rows: Sequence[Row], stated: Collection[str], *, answered: bool, voted: bool
) -> dict[str, str]:
    """The direction of the labels and its ground, for the record of a dataset: `labels` and `votes`, where there are some."""
    record = {}
    ground = label_ground(columns, rows, stated)
    if ground:
        says = ", ".join(f"{word} is {verdict}" for word, verdict in _meanings(columns, rows).items())
        basis, reason = _BY_PERSON if answered else ground
        record["labels"] = f"{columns.label}: {says} ({basis}: {reason})"
    if columns.annotators and (voted or (answered and not ground)):
        says = _side(columns.yes != columns.opposed)
        record["votes"] = f"{', '.join(columns.annotators)}: yes or 1 is {says} ({_BY_PERSON[0]}: {_BY_PERSON[1]})"
    elif columns.annotators and not ground and (side := votes_direction(columns)):
        record["votes"] = f"{', '.join(columns.annotators)}: yes or 1 is {side} ({Basis.CERTAIN}: by their names)"
    return record


_BY_PERSON = (Basis.STATED, "by a person")


def _side(consistent: bool) -> Verdict:
    return Verdict.CONSISTENT if consistent else Verdict.INCONSISTENT


def _meanings(columns: ColumnMap, rows: Sequence[Row]) -> dict[str, str]:
    asked = open_classes(rows, columns)
    return {
        word: columns.verdicts.get(word, "to be asked" if word in asked else "no label")
        for word in _label_words(columns, rows)
    }


def left_out(columns: ColumnMap, rows: Sequence[Row]) -> list[str]:
    """The columns with something in them that no field has, in order."""
    used = {column for _, column in columns.used()}
    filled = dict.fromkeys(name for row in rows for name in row if name and is_filled(row, name))
    return [name for name in filled if name not in used]


def label_meanings(columns: ColumnMap, rows: Sequence[Row]) -> list[str]:
    """Each word that the label says in these rows, its meaning and how often; and what an unlabelled edit means."""
    lines = []
    if columns.edited_label:
        lines.append(f"no label: edited summaries are {columns.edited_label}, the others {Verdict.CONSISTENT}")
    if not columns.label and (columns.annotators or columns.annotator):
        lines.append("what most annotators say; no label where they tie")
    if columns.label:
        words = Counter(
            word for row in rows if is_filled(row, columns.label) for word in label_words(row, columns.label)
        )
        meanings = _meanings(columns, rows)
        lines += [f"{word}: {meanings[word]} ({number})" for word, number in words.most_common()]
    return lines


def open_questions(columns: ColumnMap, rows: Sequence[Row], other_sheets: Sequence[str] = ()) -> list[str]:
    """Questions that a person has to decide, each with the guess that was made."""
    questions = []
    strange = [word for word in _label_words(columns, rows) if word not in {*columns.verdicts, *UNLABELLED_WORDS}]
    if classes := open_classes(rows, columns):
        questions.append(
            f"{columns.label or ', '.join(columns.annotators)} says {', '.join(classes)}, and nothing says which of them is consistent."
        )
    elif strange:
        questions.append(
            f"{columns.label} also says {', '.join(strange)}: read as no label. Put a word under consistent, inconsistent "
            "or borderline."
        )
    if "0.5" in _label_words(columns, rows) and "0.5" in columns.borderline:
        questions.append(
            f"{columns.label} also says 0.5: read as borderline. Is it a rating? Then put it under ratings."
        )
    questions += _left_to_a_person(columns, rows)
    questions += [
        f"{column} is read as a rating that people gave, higher is better. Is it a metric? Then put it under scores."
        for column in columns.ratings
    ]
    for score in columns.scores:
        cells = [row[score.column] for row in rows if is_filled(row, score.column)]
        values = [value for cell in cells if (value := table_number(cell)) is not None]
        signed = any(str(row.get(score.column)).strip().endswith("%") for row in rows)
        if signed or (values and min(values) >= 0 and 10 < max(values) <= 100):
            questions.append(
                f"{score.column} is between 0 and 100. Is it a rating that people gave? Then put it under ratings."
            )
    questions += [
        f"{score.column} is read as lower is better: kept with the opposite sign as {score.kept_as}."
        for score in columns.scores
        if score.lower_is_better
    ]
    if other_sheets:
        questions.append(
            f"Other sheets are not read: {', '.join(other_sheets)}. Name one: generic[sheet={other_sheets[0]}]."
        )
    if not columns.label and not columns.edited_label and not columns.annotators and not columns.ratings:
        questions.append("No column is a label, a rating or an annotator: nothing can be evaluated but pairs of edits.")
    return questions


def _left_to_a_person(columns: ColumnMap, rows: Sequence[Row]) -> list[str]:
    """The questions that name a column which is not used until they are answered."""
    questions = []
    if question := open_votes(rows, columns):
        questions.append(question)
    rivals = () if columns.annotators else _rival_labels(columns, rows)
    if rivals:
        questions.append(
            f"{', '.join(rivals)} may be the label, and they contradict each other. Say which: --label {rivals[0]}."
        )
    if unclear := open_scores(rows, columns):
        questions.append(
            f"{', '.join(unclear[:_NAMED_COLUMNS])}: which way is better? Left out until you say: --higher-is-better {unclear[0]} or "
            f"--lower-is-better {unclear[0]}."
        )
    return questions


def _rival_labels(columns: ColumnMap, rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns that may be the label, where their contradictions left the table without one."""
    if columns.label:
        return ()
    texts = {*columns.single().values()}
    others = dict.fromkeys(name for row in rows for name in row if name and name not in texts)
    reading = choose_label(rows, list(others), (columns.document, columns.summary))
    return reading.rivals if reading else ()


def _label_words(columns: ColumnMap, rows: Sequence[Row]) -> list[str]:
    cells = (label_words(row, columns.label) for row in rows if columns.label and is_filled(row, columns.label))
    return list(dict.fromkeys(word for cell in cells for word in cell))
