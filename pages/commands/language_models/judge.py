"""`cli.py judge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.data import Refusal
from core.evaluation import (
    GradeCounts,
    JudgeSetup,
    PanelRule,
    cause_conversation,
    estimate_weights,
    judge_by_panel,
    judge_conversation,
    judge_signature,
    judgement_records,
    panel_signature,
    read_judged,
    require_panel,
)
from core.results import WHOLE, Shard, draw_sample, refuse_divided_budget
from core.scoring import json_line
from core.settings import Settings
from pages.commands.shared.dataset_inputs import read_explanations
from pages.commands.shared.inputs import open_output, open_panel, open_sampling
from pages.commands.shared.messages import (
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

EXAMPLE = "python cli.py judge answers.jsonl --setup V3 -o grades.jsonl"


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
            "Each judges every explanation, and a further line has the grade of more than half of them."
        ),
    ] = None,
    quorum: Annotated[
        int, typer.Option(help="Judges of the panel that must give a grade, or it has none; at least more than half.")
    ] = 0,
    weights: Annotated[
        Path | None,
        typer.Option(
            help="A file that judge wrote of the same judges, with grades of people (human): in the panel each counts by how it "
            "grades there (Dawid & Skene 1979), and not with one vote."
        ),
    ] = None,
    causes: Annotated[
        bool,
        typer.Option(
            "--causes",
            help="Then ask what is wrong with each that is not entirely correct: misattribution, additional unrelated, "
            "completeness or vague. study judge-agreement compares it with the cause that people give.",
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
            judges = open_panel(engine, judge, model or endpoint, temperature, sample)
            require_panel(judges, quorum)
        else:
            judges = (open_sampling(engine, model, endpoint, temperature, sample),)
        part = Shard.parse(shard)
        refuse_divided_budget([sampling.asked for sampling in judges], divided=part != WHOLE)
        explanations = part.of(read_explanations(cases, dataset, output, refusals))
        to_grade = draw_sample(explanations, most or len(explanations), seed)
        signatures = [judge_signature(setup, sampling) for sampling in judges]
        rule = PanelRule(quorum, estimate_weights(read_judged(weights), signatures) if judge and weights else None)
        panel = panel_signature(judges, signatures, rule) if judge else ""
        for signature in signatures:
            print_status(f"Asking {signature}")
        print_estimate(engine, (judge_conversation(case, setup, sampling) for case in to_grade for sampling in judges))
        ask = cause_conversation if causes else judge_conversation
        judged = with_progress(
            judge_by_panel(engine, to_grade, setup, judges, ask), "explanations judged", len(to_grade)
        )

        counts = GradeCounts(signatures, panel, rule)
        with open_output(output) as file:
            for case, outcomes in judged:
                file.writelines(map(json_line, judgement_records(case, signatures, outcomes, panel, rule)))
                counts.add(outcomes)

        spent = engine.spent()
    for sentence in counts.sentences():
        print_status(sentence)
    print_spent(spent)
    exit_with_failures(refusals, counts.failed)
