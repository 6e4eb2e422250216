"""`cli.py judge`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TextIO

import typer

from core.bulk.blocks import WHOLE, Shard
from core.bulk.run import refuse_divided_budget
from core.dataset import Refusal
from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.explanations.cases import SkippedCase, cases_from_items, judgement_record, panel_record, read_cases
from core.explanations.causes import cause_conversation
from core.explanations.judge import Case, Judgement, JudgeSetup, judge_conversation, judge_signature
from core.explanations.panel import count_votes, judge_by_panel, panel_signature, parse_judge, require_panel
from core.llm.chat import Sampling
from core.outcome_record import json_line
from core.settings import Settings
from core.stress.filters import draw_sample
from core.types import Failure
from pages.commands.shared.inputs import (
    open_output,
    open_sampling,
    read_dataset_items,
    refuse_overwriting_input,
    report_refusals,
)
from pages.commands.shared.messages import (
    download_checkpoints,
    exit_with_failures,
    open_engine,
    print_estimate,
    print_spent,
    print_status,
    with_progress,
)
from pages.commands.shared.options import (
    BatchOption,
    DrawSeedOption,
    EndpointOption,
    ModelOption,
    MostOption,
    SampleOption,
    ShardOption,
    TemperatureOption,
)


def command(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per explanation.")],
    setup: Annotated[
        JudgeSetup,
        typer.Option(
            help="What the judge reads besides the explanation. V1: document and summary; V2: summary before and after its "
            "edit; V3: V2 and a reference explanation; V4: a reference explanation."
        ),
    ],
    cases: Annotated[
        Path | None,
        typer.Argument(
            help="JSONL with explanation, document, seed, summary, reference, human: what the set-up reads."
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Instead of a file: an imported dataset with explanations.")
    ] = None,
    model: ModelOption = "",
    endpoint: EndpointOption = "",
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A panel instead of one model, to be repeated: MODEL@ENDPOINT, @ENDPOINT for its own model, or local:FOLDER. "
            "Each judges every explanation, and a further line has the grade of the majority."
        ),
    ] = None,
    causes: Annotated[
        bool,
        typer.Option(
            "--causes",
            help="Then ask what is wrong with each that is not entirely correct: misattribution, additional unrelated, "
            "completeness or vague. judge-agreement compares it with the cause that people give.",
        ),
    ] = False,
    temperature: TemperatureOption = 0.0,
    sample: SampleOption = 0,
    most: MostOption = None,
    seed: DrawSeedOption = 0,
    batch: BatchOption = False,
    shard: ShardOption = "0/1",
) -> None:
    """Have language models grade explanations of errors: entirely, partially or not correct, which count 1, 0.5 and 0."""
    refusals: list[Refusal] = []
    with open_engine(Settings.read(), batch) as engine:
        # raises before anything is overwritten where nobody can be asked
        if judge:
            judges = _open_panel(engine, judge, model or endpoint, temperature, sample)
        else:
            judges = (open_sampling(engine, model, endpoint, temperature, sample),)
        signatures = [judge_signature(setup, one) for one in judges]
        part = Shard.parse(shard)
        refuse_divided_budget([one.asked for one in judges], divided=part != WHOLE)
        found = part.of(_read_cases_to_grade(cases, dataset, output, refusals))
        to_grade = draw_sample(found, most or len(found), seed)
        for signature in signatures:
            print_status(f"Asking {signature}")
        print_estimate(engine, (judge_conversation(case, setup, one) for case in to_grade for one in judges))
        with open_output(output) as file:
            judged = judge_by_panel(
                engine, to_grade, setup, judges, cause_conversation if causes else judge_conversation
            )
            panel = panel_signature(judges, signatures) if judge else ""
            failed = _write_judged(file, signatures, panel, with_progress(judged, "explanations judged", len(to_grade)))
        spent = engine.spent()
    print_spent(spent)
    exit_with_failures(refusals, failed)


def _open_panel(
    engine: Engine, named: Sequence[str], single: str, temperature: float, sample: int
) -> tuple[Sampling, ...]:
    if single:
        raise TouchstoneError(
            f"--judge names the whole panel, and {single} was named besides. Leave one of the two out."
        )
    judges = tuple(parse_judge(one, temperature, sample) for one in named)
    require_panel(judges)
    download_checkpoints(engine.pool, [one.asked for one in judges])
    return judges


def _read_cases_to_grade(cases: Path | None, dataset: str | None, output: Path, refusals: list[Refusal]) -> list[Case]:
    """The explanations of a file or of an imported dataset."""
    if (cases is None) == (dataset is None):
        raise TouchstoneError("Name a file of explanations, or an imported dataset with --dataset: one of the two.")
    if cases:
        refuse_overwriting_input(cases, output)
        return _cases_to_grade(report_refusals(read_cases(cases), cases, refusals))
    return _cases_to_grade(_imported_cases(dataset or ""))


def _cases_to_grade(found: Iterable[Case | SkippedCase]) -> list[Case]:
    """The cases among them; how many are skipped is printed, with the reasons."""
    cases = list(found)
    skipped = Counter(one.why for one in cases if isinstance(one, SkippedCase))
    if skipped:
        print_status(f"Not graded: {', '.join(f'{count} {why}' for why, count in skipped.items())}.")
    return [one for one in cases if isinstance(one, Case)]


def _imported_cases(dataset: str) -> Iterator[Case | SkippedCase]:
    found = read_dataset_items(dataset)
    if not any(item.explanations for item in found):
        raise TouchstoneError(f"{dataset} has no explanations. Import one that has, such as factualnlg.")
    return cases_from_items(found)


def _write_judged(
    file: TextIO,
    signatures: Sequence[str],
    panel: str,
    found: Iterable[tuple[Case, tuple[Judgement | Failure, ...]]],
) -> int:
    """Write a line for each case and judge, one more for a panel, and say how many there are of each grade; how many have none."""
    grades: dict[str, Counter[str]] = {signature: Counter() for signature in (*signatures, *filter(None, [panel]))}
    for case, outcomes in found:
        for signature, outcome in zip(signatures, outcomes, strict=True):
            _write_line(file, judgement_record(case, signature, outcome))
            grades[signature]["failed" if isinstance(outcome, Failure) else outcome.grade] += 1
        if panel:
            vote = count_votes(outcomes)
            _write_line(file, panel_record(case, panel, vote))
            grades[panel][vote.majority or ("tied" if vote.counts else "failed")] += 1
    for signature, counts in grades.items():
        who = f" by {signature.split('|sample:')[0]}" if panel else ""
        listed = ", ".join(f"{grade} {count}" for grade, count in counts.most_common())
        print_status(f"Explanations judged{who}: {listed or 'none'}.")
    return sum(grades[signature]["failed"] for signature in signatures)


def _write_line(file: TextIO, record: Mapping[str, object]) -> None:
    file.write(json_line(record))
