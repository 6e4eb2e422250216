"""Results of promptfoo as JSON (`results.results`) or JSON lines: for each prompt and test `vars`, `response`, `score`, `gradingResult`.

`gradingResult.componentResults` has a `score` for each `assertion`; `namedScores` has those of assertions with a name of their own. As CSV
the variables come first, then for each provider and prompt the output under `[provider] prompt`, `Status`, `Score` and `Named Scores`.
promptfoo.dev/docs/configuration/outputs
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from core.data.datasets.formats.cells import cell_value
from core.data.datasets.formats.json_files import whole_object
from core.data.datasets.formats.known_forms import FORMS, SCORE, Form
from core.data.datasets.formats.record_texts import asked_text, document_of, said_text
from core.data.datasets.formats.text_files import UTF8, NumberedRow, Row, encoding_of, open_text
from core.errors import TouchstoneError

_FIELDS = frozenset({"vars", "prompt", "success"})
_CSV_FIELDS = frozenset({"Status", "Score", "Named Scores", "Grader Reason"})
_OUTPUTS = "outputs of a row"
"""Key of the rows into which one of a CSV with several outputs is taken apart, with the names of their own columns."""

_SYSTEM = "system of the output"
"""Key of the whole name of an output, where a provider answered several prompts."""

_OUTPUT = re.compile(r"\[(?P<provider>.+?)\] .*", re.DOTALL)


@FORMS.add
class Promptfoo(Form):
    """The output is the summary, the variable with the name of a document its document, else the prompt; higher is better."""

    name = "promptfoo"
    title = "results of promptfoo"
    higher_is_better = True

    def records(self, source: Path) -> Iterator[NumberedRow] | None:
        if source.suffix.lower() == ".csv":
            return _output_records(source)
        outer = whole_object(source).get("results")
        results = outer.get("results") if isinstance(outer, dict) else outer
        if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
            return None
        return zip(count(1), results, strict=False)

    def matches(self, rows: Sequence[Row]) -> bool:
        return bool(rows) and all(
            _OUTPUTS in row
            or (row.keys() >= _FIELDS and ("response" in row or "gradingResult" in row))
            or row.keys() >= _CSV_FIELDS
            for row in rows
        )

    def pairs(self, row: Row) -> list[Row]:
        outputs = row.get(_OUTPUTS)
        if isinstance(outputs, list):
            return [_csv_pair(output) for output in outputs]
        if row.keys() >= _CSV_FIELDS:
            return [_csv_pair(row)]
        response, prompt, provider = row.get("response"), row["prompt"], row.get("provider")
        summary = said_text(response.get("output")) if isinstance(response, dict) else ""
        if not summary:
            raise TouchstoneError("This result has no output as text: the provider failed, or returned an object.")
        values = _object(row["vars"])
        asked = said_text(prompt.get("raw")) if isinstance(prompt, dict) else asked_text(prompt)
        document = document_of(values)
        return [
            {
                "document": document or (asked_text(values) if len(values) == 1 else asked),
                "summary": summary,
                **(
                    {"question": text}
                    if document and (text := said_text(values.get("question", values.get("query"))))
                    else {}
                ),
                "system": provider.get("id") if isinstance(provider, dict) else provider,
                **_scores(row),
            }
        ]


def _output_records(source: Path) -> Iterator[NumberedRow] | None:
    """The rows of a CSV with several outputs, whose columns bear the same names for each; None for any other CSV."""
    if not source.is_file() or not source.stat().st_size or encoding_of(source) != UTF8:
        return None
    with open_text(source) as file:
        names = next(csv.reader(file), [])
    starts = [place - 1 for place, name in enumerate(names) if name == "Status"]
    if len(starts) < 2 or starts[0] < 1 or not {*names} >= _CSV_FIELDS:
        return None
    return _rows_of_outputs(source, names, starts)


def _rows_of_outputs(source: Path, names: Sequence[str], starts: Sequence[int]) -> Iterator[NumberedRow]:
    providers = Counter(matched["provider"] for start in starts if (matched := _OUTPUT.fullmatch(names[start])))
    with open_text(source) as file:
        rows = csv.reader(file)
        next(rows)
        for number, cells in enumerate(rows, start=2):
            if len(cells) != len(names):
                yield number, f"This row has {len(cells)} cells and the header {len(names)}."
                continue
            variables = dict(zip(names[: starts[0]], cells, strict=False))
            outputs = []
            for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
                output = {**variables, **dict(zip(names[start:end], cells[start:end], strict=True))}
                matched = _OUTPUT.fullmatch(names[start])
                is_alone = matched is not None and providers[matched["provider"]] == 1
                outputs.append(output if is_alone else {**output, _SYSTEM: names[start]})
            yield number, {_OUTPUTS: outputs}


def _csv_pair(row: Row) -> Row:
    names = list(row)
    output = names[names.index("Status") - 1]
    values = {name: row[name] for name in names[: names.index(output)]}
    named, matched = cell_value(row["Named Scores"]), _OUTPUT.fullmatch(output)
    scores = named if isinstance(named, dict) and named else {"score": row["Score"]}
    document, question = document_of(values), said_text(values.get("question", values.get("query")))
    return {
        "document": document or asked_text(values),
        "summary": said_text(row[output]),
        **({"question": question} if document and question else {}),
        "system": row.get(_SYSTEM, matched["provider"] if matched else None),
        **{f"{SCORE}{name}": score for name, score in scores.items()},
    }


def _scores(row: Row) -> dict[str, object]:
    grading = _object(row.get("gradingResult"))
    components = grading.get("componentResults")
    scores: dict[str, object] = {f"{SCORE}{name}": score for name, score in _object(row.get("namedScores")).items()}
    for component in components if isinstance(components, list) else ():
        assertion = _object(component.get("assertion")) if isinstance(component, dict) else {}
        name = assertion.get("metric") or assertion.get("type")
        if name:
            scores.setdefault(f"{SCORE}{name}", component.get("score"))
    return scores or {f"{SCORE}score": row.get("score")}


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
