"""Touchstone for the terminal: the same metrics, engine and store as the pages, for files."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from annotations.backup import backup, restore
from annotations.campaigns.describing import in_words
from annotations.campaigns.exporting import campaign_id, question_ids, to_table
from annotations.campaigns.exporting import rows as campaign_rows
from annotations.campaigns.importing import import_campaign
from annotations.campaigns.inviting import invite_by_name
from annotations.campaigns.people import Role
from annotations.export import rows, to_csv, to_jsonl
from annotations.importing import Provenance
from annotations.records import OWN
from annotations.sources import campaigns, described, examples, samples
from annotations.store import Store
from core.dataset import DATASETS, Refusal
from core.datasets.generic import preview
from core.datasets.pairs import Pairs
from core.datasets.reading.guessing import guess
from core.editing.batch import Sieve, Unused, edited_pairs
from core.editing.editor import Editor
from core.editing.proposal import Form, Why
from core.engine import Engine
from core.errors import TouchstoneError
from core.explaining.agreement import Compared, agreement
from core.explaining.batch import judged
from core.explaining.casefile import as_record as as_judged
from core.explaining.casefile import cases_of, read_cases, read_judged
from core.explaining.judging import Case, Judged, Setup, judging
from core.explaining.judging import signature as judge_signature
from core.explaining.report import as_record as as_agreement
from core.explaining.report import table as agreement_table
from core.guard import GUARDS, Guard
from core.intake import Tally, readable, sha256, whole
from core.intake import lines as count_lines
from core.job import Talk
from core.listing import as_they_come, direction_words, list_metrics, markdown_table, range_words
from core.llm.addressee import SOURCE
from core.llm.endpoint import Endpoint, chosen_model, configured, endpoints, missing_endpoint
from core.llm.ledger import Ledger, Spent
from core.llm.saying import Sampling
from core.llm.words import bill, limits, told, told_spent
from core.meta.beside import beside
from core.meta.beside import table as beside_table
from core.meta.cases import Cases, of_metrics
from core.meta.correlations import correlations
from core.meta.correlations import table as correlation_table
from core.meta.explained import explained
from core.meta.explained import table as explained_table
from core.meta.figures import MEASURES, PUBLISHED, draws
from core.meta.figures import rows as rows_of
from core.meta.learned import against_metrics, shares
from core.meta.learned import table as share_table
from core.meta.pooling import pooled
from core.meta.report import as_record as as_meta_record
from core.meta.report import table as meta_table
from core.meta.slices import FIELDS, slices
from core.metric import METRICS, Metric
from core.models.pool import ModelPool
from core.models.released import called, released
from core.models.state import Status
from core.perturbation import PERTURBATIONS, by_rule
from core.report import Record as Line
from core.report import as_record
from core.settings import Device, Settings
from core.shallow import features, targets
from core.shallow.model import SUFFIX, Facts
from core.shallow.training import Task, train
from core.stats.resampling import RESAMPLES
from core.stress.conductor import Progress
from core.stress.gaming import gaming
from core.stress.matrix import applied, matrix
from core.stress.picking import pick, sound, sources
from core.stress.picking import whole as whole_samples
from core.stress.records import Plan, Record, Run, Source, Variant
from core.stress.report import as_cell, as_pair
from core.stress.runfile import append, begin
from core.stress.running import carry_on
from core.stress.shifts import shifts
from core.stress.sifting import SIEVES, sifted
from core.stress.words import failures as failure_sentences
from core.stress.words import gaming_table, table
from core.stress.words import guarded as guard_sentences
from core.stress.words import refusals as refusal_sentences
from core.trouble import Trouble, attempt
from core.types import Checkpoint, Example, Failure, Item, Outcome, T

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # it would take name[setting=value] for markup
    help=__doc__,
)

_Json = Annotated[bool, typer.Option("--json", help="One JSON list instead of a table.")]
_Markdown = Annotated[bool, typer.Option("--markdown", help="The table of the README.")]
_Device = Annotated[Device | None, typer.Option(help="Where models run; TOUCHSTONE_DEVICE by default.")]
_Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same variants.")]
_Pairs = Annotated[Path | None, typer.Argument(help="JSONL or CSV with id, document, summary.")]
_Dataset = Annotated[
    str | None,
    typer.Option(help="Instead of a file: the summaries of an imported dataset that are not labelled inconsistent."),
]
_Most = Annotated[
    int | None, typer.Option(min=1, help="So many summaries of the dataset, drawn by the seed; by default all.")
]
_KIND = "A perturbation, name or name[setting=value,…]; may be repeated."
_Kinds = Annotated[list[str], typer.Option(help=_KIND)]
_KindsOrAll = Annotated[list[str] | None, typer.Option(help=f"{_KIND} By default all rules.")]
_Datasets = Annotated[
    list[str], typer.Option("--dataset", help="One of those that `datasets` lists; several are put together.")
]
_Resamples = Annotated[int, typer.Option(min=1, help="Of the documents, for the intervals.")]
_NO_GUARD = "none"
_Out = Annotated[Path, typer.Option("-o", "--output", help="Where to write; .csv for a table, else JSONL.")]


@app.command()
def metrics(as_json: _Json = False, markdown: _Markdown = False) -> None:
    """List the metrics: family, range, direction, and whether they are ready to run."""
    settings = Settings.read()
    pool = ModelPool(settings.device, settings.memory_bytes, settings.cache_dir)
    listed = list_metrics(pool)
    if as_json:
        typer.echo(json.dumps([asdict(line) for line in listed], ensure_ascii=False, indent=1))
        return
    if markdown:
        typer.echo(markdown_table(listed))
        return
    for line in listed:
        reach = range_words(line.low, line.high)
        typer.echo(f"{line.name:20} {line.family:12} {reach:9} {direction_words(line.direction):25} {line.state}")


@app.command("endpoints")
def list_endpoints() -> None:
    """List the endpoints: address, model, limits, prices, what was spent, and the models that they say they serve."""
    # imported when asked for: openai takes a second to import
    from core.llm.client import client

    found = endpoints()
    spent = Ledger(Settings.read().cache_dir).spent()
    for one in found:
        if not isinstance(one, Endpoint):
            typer.echo(one)
            continue
        served = attempt(client(replace(one, retries=0, patience_s=min(one.patience_s, 10.0))).models)
        typer.echo(f"{one.title:12} {one.base_url} · model {one.model or 'not set'} · {limits(one)}")
        typer.echo(f"{'':12} spent so far: {bill(spent.get(one.name, Spent()))}")
        typer.echo(f"{'':12} {served.message if isinstance(served, Trouble) else 'serves ' + ', '.join(served)}")
    if not found:
        typer.echo(missing_endpoint())


@app.command()
def score(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair and metric.")],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    device: _Device = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print questions asked, forward passes, tokens, as JSON.")
    ] = False,
    retrieve: Annotated[
        str | None, typer.Option(help="k=3,w=1: put retrieval with these settings around every metric named.")
    ] = None,
) -> None:
    """Score every pair of a file with every metric named. Broken lines are named and leave exit status 2."""
    chosen = [METRICS.parse(spec if retrieve is None else f"retrieve[{retrieve},metric={spec}]") for spec in metric]
    settings = Settings.read()
    _keep_apart(pairs, output)
    refusals: list[Refusal] = []
    examples = _begun(_examples(pairs, refusals))
    started = time.perf_counter()
    with closing(Engine.open(settings.model_copy(update={"device": device or settings.device}))) as engine:
        _fetch(engine.pool, chosen)
        if any(checkpoint.source == SOURCE for one in chosen for checkpoint in one.checkpoints()):
            read = (item.example for item in Pairs().read(pairs) if not isinstance(item, Refusal))
            _say_estimate(engine, engine.talks(chosen, read))
        failures = _write(output, engine.run(chosen, examples))
    if failures:
        _say(f"Scores that failed: {failures}. The field `error` in {output} says why.")
    spent = engine.spent()
    if spent:
        _say(f"Spent: {told_spent(spent)}.")
    if stats:
        paid = {"endpoints": {name: asdict(one) for name, one in spent.items()}} if spent else {}
        seconds = round(time.perf_counter() - started, 3)
        typer.echo(json.dumps({**asdict(engine.counts()), "seconds": seconds, **paid}))
    if refusals:
        raise typer.Exit(2)


@app.command()
def perturb(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair and kind.")],
    kind: _Kinds,
    pairs: _Pairs = None,
    dataset: _Dataset = None,
    most: _Most = None,
    seed: _Seed = 0,
) -> None:
    """Write a variant of every summary of a file for each kind of perturbation; the same seed gives the same variants."""
    refusals: list[Refusal] = []
    plan = Plan.of(_named(pairs, dataset, output), map(PERTURBATIONS.parse, kind), (), seed)
    run = _run(plan, _given(pairs, dataset, most, seed, refusals))
    with closing(Engine.open(Settings.read())) as engine, _opened(output) as file:
        for record in carry_on(engine, run):
            if isinstance(record, Variant):
                line = as_pair(run.sources[record.source], record)
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
    for sentence in refusal_sentences(applied(run)):
        _say(sentence)
    if refusals:
        raise typer.Exit(2)


@app.command()
def stress(
    output: Annotated[Path, typer.Option("-o", "--output", help="The run, JSONL; one that was broken off goes on.")],
    metric: Annotated[
        list[str] | None, typer.Option(help="name or name[setting=value,…]; by default all that are ready.")
    ] = None,
    pairs: _Pairs = None,
    dataset: _Dataset = None,
    most: _Most = None,
    kind: _KindsOrAll = None,
    seed: _Seed = 0,
    guard: Annotated[
        str,
        typer.Option(help="Who checks that harmless variants are: entailment, language-model, or none; with settings."),
    ] = _NO_GUARD,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(help=f"Variants that do not count in the table: {', '.join(SIEVES)}; may be repeated."),
    ] = None,
    device: _Device = None,
    as_json: Annotated[bool, typer.Option("--json", help="The table as one JSON list.")] = False,
) -> None:
    """Perturb every summary of a file, score all of it, and say which metrics move when they should not."""
    name, settings = _named(pairs, dataset, output), Settings.read()
    refusals: list[Refusal] = []
    with closing(Engine.open(settings.model_copy(update={"device": device or settings.device}))) as engine:
        metrics = [METRICS.parse(spec) for spec in metric or [line.name for line in as_they_come(engine.pool)]]
        kinds = [PERTURBATIONS.parse(spec) for spec in kind] if kind else by_rule()
        checker = None if guard == _NO_GUARD else GUARDS.parse(guard)
        plan = Plan.of(name, kinds, metrics, seed, checker)
        sifted(Run(plan), leave_out or ())  # a wrong name is told before the work, not after it
        run = begin(output, _run(plan, _given(pairs, dataset, most, seed, refusals)))
        _fetch(engine.pool, [*metrics, *filter(None, [checker])])
        _watch(run, append(output, carry_on(engine, run)))
    found = shifts(run, sifted(run, leave_out or ()))
    cells = matrix(run, found)
    if as_json:
        typer.echo(json.dumps([as_cell(cell) for cell in cells], ensure_ascii=False, indent=1))
    else:
        typer.echo("\n\n".join(filter(None, [table(cells), gaming_table(gaming(run, found))])))
    for sentence in [*failure_sentences(run), *refusal_sentences(applied(run)), *guard_sentences(run)]:
        _say(sentence)
    if refusals:
        raise typer.Exit(2)


@app.command()
def edits(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one pair per edit that can be used.")],
    model: Annotated[str, typer.Option(help="Who is asked; by default the model of the endpoint.")] = "",
    endpoint: Annotated[str, typer.Option(help="Its name in TOUCHSTONE_ENDPOINTS; by default the default one.")] = "",
    form: Annotated[
        Form, typer.Option(help="Replacements that are executed, or whole summaries that are compared.")
    ] = Form.EXECUTABLE,
    trivial: Annotated[
        Sieve,
        typer.Option(help="Leave out trivial edits by nobody's verdict, the rule's, or the rule's and the model's."),
    ] = "rule",
    temperature: Annotated[float, typer.Option(min=0)] = 0.7,
    sample: Annotated[int, typer.Option(min=0, help="Another number is another draw.")] = 0,
) -> None:
    """Ask a language model for six edits of every summary of a file, each of which makes it inconsistent in one place."""
    _keep_apart(pairs, output)
    editor = Editor(form, model, endpoint, temperature=temperature, sample=sample)
    _say(f"Asking {editor.signature}")  # raises before anything is overwritten where nobody can be asked
    refusals: list[Refusal] = []
    read = (found.example for found in Pairs().read(pairs) if isinstance(found, Item) and not found.parent)
    originals = (item for item in _items(pairs, refusals) if not item.parent)
    with closing(Engine.open(Settings.read())) as engine, _opened(output) as file:
        _say_estimate(engine, map(editor.proposing, read))
        unused = _write_edits(file, edited_pairs(engine, editor, originals, trivial))
        spent = engine.spent()
    if reasons := ", ".join(why.of(count) for why, count in unused.items()):
        _say(f"Not used: {reasons}.")
    if spent:
        _say(f"Spent: {told_spent(spent)}.")
    if refusals:
        raise typer.Exit(2)


@app.command()
def judge(
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per explanation.")],
    setup: Annotated[
        Setup,
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
    model: Annotated[str, typer.Option(help="Who is asked; by default the model of the endpoint.")] = "",
    endpoint: Annotated[str, typer.Option(help="Its name in TOUCHSTONE_ENDPOINTS; by default the default one.")] = "",
    temperature: Annotated[float, typer.Option(min=0)] = 0.0,
    sample: Annotated[int, typer.Option(min=0, help="Another number is another draw.")] = 0,
) -> None:
    """Have a language model grade explanations of errors: entirely, partially or not correct, which count 1, 0.5 and 0."""
    configured(endpoint)  # raises before anything is overwritten where nobody can be asked
    sampling = Sampling(chosen_model(model, endpoint), temperature, sample=sample, endpoint=endpoint)
    signed = judge_signature(setup, sampling)
    refusals: list[Refusal] = []
    asked = _cases(cases, dataset, output, refusals)
    _say(f"Asking {signed}")
    with closing(Engine.open(Settings.read())) as engine, _opened(output) as file:
        _say_estimate(engine, (judging(case, setup, sampling) for case in asked))
        _write_judged(file, signed, judged(engine, asked, setup, sampling), len(asked))
        spent = engine.spent()
    if spent:
        _say(f"Spent: {told_spent(spent)}.")
    if refusals:
        raise typer.Exit(2)


@app.command()
def judge_agreement(
    files: Annotated[list[Path], typer.Argument(help="What `judge` wrote of explanations that people graded, too.")],
    resamples: Annotated[int, typer.Option(min=1, help="Of the documents, for the intervals.")] = RESAMPLES,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list.")] = False,
) -> None:
    """Say how far judges of explanations agree with people: correlation, balanced accuracy and kappa, with intervals."""
    found: dict[str, list[Compared]] = {}
    for file in files:
        for signed, compared in read_judged(file).items():
            found.setdefault(signed, []).extend(compared)
    if not found:
        raise TouchstoneError("No person graded any of these explanations. Judge some that have a grade under “human”.")
    figures = {signed: agreement(compared, resamples) for signed, compared in found.items()}
    if as_json:
        report = [as_agreement(signed, found[signed], of_judge) for signed, of_judge in figures.items()]
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    typer.echo("\n\n".join(agreement_table(signed, found[signed], of_judge) for signed, of_judge in figures.items()))


@app.command()
def bench(
    metric: Annotated[
        list[str] | None,
        typer.Option(help="name or name[setting=value,…]; may be repeated; by default some of each family."),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(
            help="tiny, small, base or large, or albert-xlarge and such for one architecture; may be repeated."
        ),
    ] = None,
    device: Annotated[Device | None, typer.Option(help="Where models run; TOUCHSTONE_DEVICE by default.")] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of the set.")] = 200,
    documents: Annotated[int, typer.Option(min=1, help="Documents that they share.")] = 50,
    repeats: Annotated[int, typer.Option(min=1, help="Of the first score and the edits; the median is told.")] = 3,
    rows: Annotated[
        int, typer.Option(min=1, help="Questions of each model timed one by one; the rest is projected.")
    ] = 12,
    seed: Annotated[int, typer.Option(min=0, help="Chooses those questions.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list; the table goes to stderr.")] = False,
) -> None:
    """Time metrics on random weights of a real size: the engine against one question at a time."""
    # imported when asked for: the random weights need torch, and listing metrics must not load it
    from core.bench import line, workloads
    from core.models.shapes import read_sizes

    settings = Settings.read()
    plan = workloads.Plan(pairs, documents, repeats, rows, seed)
    chosen = settings.model_copy(update={"device": device or settings.device})
    lines = []
    measured = workloads.bench(metric or workloads.DEFAULT, read_sizes(size or ()), plan, chosen)
    typer.echo(line.heading(), err=as_json)
    try:
        for found in measured:
            typer.echo(line.as_row(found), err=as_json)
            lines.append(line.as_record(found))
    finally:  # what took an hour is not lost because the metric after it cannot be timed
        typer.echo(json.dumps(lines, ensure_ascii=False, indent=1) if as_json else line.LEGEND)


@app.command()
def train_shallow(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with document, summary and, for labels, label.")],
    output: Annotated[Path, typer.Option("-o", "--output", help=f"Where to write the model, a file *{SUFFIX}.")],
    target: Annotated[
        str, typer.Option(help="label, or SCORES.jsonl:METRIC with a file that `score` wrote.")
    ] = "label",
    seed: Annotated[int, typer.Option(min=0, help="Of the split into documents and of the weights.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a sentence.")] = False,
) -> None:
    """Train the shallow model on most documents of a file and test it on the others: how much does the surface tell?"""
    aim = targets.parse(target)
    _check_model(pairs, output)
    refusals: list[Refusal] = []
    aims = aim.of(_items(pairs, refusals))
    with closing(Engine.open(Settings.read())) as engine:
        rows, signatures = features.table(engine, aims)
    model = train(rows, Task(pairs.name, aim.name, aim.output, seed), signatures)
    with _opened(output) as file:
        file.write(model.model_dump_json(indent=1) + "\n")
    typer.echo(model.facts.model_dump_json(indent=1) if as_json else _held_out(model.facts))
    if refusals:
        raise typer.Exit(2)


@app.command("import")
def import_dataset(
    importer: Annotated[str, typer.Argument(help="bump, summedits, … or one with settings, name[setting=value,…].")],
    source: Annotated[
        Path | None, typer.Argument(help="The file or folder to read; without it the dataset comes from the hub.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call the dataset; by default as the importer.")] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Import the readable records although others are broken.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The counts as one JSON object.")] = False,
) -> None:
    """Import a benchmark or a file of your own into the database; the same file twice adds nothing."""
    reader, settings, tally = DATASETS.parse(importer), Settings.read(), Tally()
    place = source or released(reader)
    file = place.resolve().name if source else called(reader, place)
    origin = Provenance(
        name or reader.name, importer, file, sha256(place), reader.licence, reader.release, settings.user
    )
    taken = readable if skip_broken else whole
    with closing(Store.open(settings.database_url)) as store:
        items = _counted(taken(reader.read(place), tally), tally)
        imported = store.import_dataset(origin, items, tally.counts)
    counts = {"dataset": imported.dataset, **tally.counts(), "new": imported.added, "joined": imported.joined}
    typer.echo(json.dumps(counts, ensure_ascii=False, indent=1) if as_json else "\n".join(count_lines(counts)))
    if imported.missing:
        _say(f"{imported.missing} summaries lack their document. Import a file that has it under the same group.")


@app.command("columns")
def guess_columns(
    source: Annotated[Path, typer.Argument(help="A table: JSONL, JSON, CSV, parquet or xlsx.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where to write the mapping.")] = None,
) -> None:
    """Guess what the columns of any table hold: a mapping to correct by hand and to import by."""
    mapping = guess(preview(source)).to_json()
    if output is None:
        typer.echo(mapping, nl=False)
        return
    _keep_apart(source, output)
    with _opened(output) as file:
        file.write(mapping)
    _say(f"Look it over, then: cli.py import 'generic[mapping={output}]' {source}")


@app.command()
def score_dataset(
    dataset: Annotated[str, typer.Argument(help="One of those that `datasets` lists.")],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    device: _Device = None,
) -> None:
    """Score every text of a dataset and keep the scores in the database, beside the released ones."""
    chosen, settings = [METRICS.parse(spec) for spec in metric], Settings.read()
    with (
        closing(Store.open(settings.database_url)) as store,
        closing(Engine.open(settings.model_copy(update={"device": device or settings.device}))) as engine,
    ):
        _fetch(engine.pool, chosen)
        kept, failures = 0, 0
        found = engine.run(chosen, examples(store, dataset))
        while outcomes := [outcome for _, outcome in islice(found, 500)]:
            store.keep_outcomes(outcomes)
            kept, failures = kept + len(outcomes), failures + sum(isinstance(one, Failure) for one in outcomes)
            _say(f"\r  {kept} scores kept", end="")
    _say(f"\r  {kept} scores kept, {failures} of them failures with their reason")


@app.command()
def meta(
    dataset: _Datasets,
    by: Annotated[str | None, typer.Option(help=f"Slices besides Overall: {', '.join(FIELDS)}.")] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    rated: Annotated[str | None, typer.Option(help="Correlate with what people rated, instead: the aspect.")] = None,
    resamples: _Resamples = RESAMPLES,
    full: Annotated[bool, typer.Option("--full", help="Also the figures that papers leave out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object; shares in 0..1.")] = False,
) -> None:
    """Say which metric can be trusted with which errors: consistency, ties and AUC with intervals, from kept scores."""
    found = _scored(dataset)
    found = of_metrics(found, metric) if metric else found
    if rated:
        typer.echo(correlation_table(list(correlations(found, rated, draws(found, resamples)))))
        return
    lines = list(rows_of(found, slices(found, by), draws(found, resamples), _measures(full)))
    if as_json:
        report = {"dataset": " + ".join(dataset), "rows": [as_meta_record(line) for line in lines]}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    typer.echo(meta_table(lines))
    if twins := beside(found):
        typer.echo(f"\n{beside_table(twins)}")


@app.command()
def surface(dataset: _Datasets, resamples: _Resamples = RESAMPLES) -> None:
    """Say how much of each metric the six shallow features explain, and how well they alone tell labels apart."""
    found = _scored(dataset)
    drawn = draws(found, resamples)
    typer.echo(share_table(list(shares(found, drawn))))
    typer.echo(f"\n{meta_table(against_metrics(found, drawn))}")


@app.command()
def explanations(dataset: _Datasets, resamples: _Resamples = RESAMPLES) -> None:
    """Say how well models find and explain errors, from graded explanations: DA, DS, ES and JS."""
    found = _read(dataset)
    told = list(explained(found, draws(found, resamples)))
    if not told:
        raise TouchstoneError(
            f"No explanation is graded in {', '.join(dataset)}. Import or label some, then ask again."
        )
    typer.echo(explained_table(told))


@app.command("datasets")
def list_datasets() -> None:
    """List what can be evaluated: imported datasets, campaigns with labels, and what was kept and labelled here."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        for row in store.datasets():
            typer.echo(f"{row.name:30} {row.samples} samples from {', '.join(file.file for file in row.files)}")
        for name in campaigns(store):
            typer.echo(f"{name:30} {' '.join(in_words(described(store, name)))}")
        if own := samples(store, OWN):
            typer.echo(f"{OWN:30} {len(own)} samples")


def _read(dataset: list[str]) -> Cases:
    """The samples of datasets together; what was left out is said."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        found = pooled([samples(store, name) for name in dataset])
    for warning in found.warnings:
        _say(warning)
    return found


def _scored(dataset: list[str]) -> Cases:
    """The same where at least one metric has a score."""
    found = _read(dataset)
    if not found.columns:
        raise TouchstoneError(
            f"No metric has a score in {', '.join(dataset)}. Score it: cli.py score-dataset NAME --metric …"
        )
    return found


def _measures(full: bool) -> tuple[str, ...]:
    return tuple(MEASURES) if full else PUBLISHED


def _counted(items: Iterable[Item], tally: Tally) -> Iterator[Item]:
    """The same items; says at most every second how many came."""
    said = time.monotonic()
    for item in items:
        if time.monotonic() - said >= 1:
            said = time.monotonic()
            _say(f"\r  {tally.samples} samples read", end="")
        yield item


@app.command()
def export(
    output: _Out,
    campaign: Annotated[
        str | None, typer.Option(help="Only this campaign: every revision of every label, with pseudonyms.")
    ] = None,
) -> None:
    """Write everything that was kept: pairs, scores, labels and judgements, one row each; or all of a campaign."""
    as_csv = output.suffix.lower() == ".csv"
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        if campaign is None:
            lines = to_csv(rows(store)) if as_csv else to_jsonl(rows(store))
        else:
            id = campaign_id(store, campaign)
            found = campaign_rows(store, id)
            lines = to_table(found, question_ids(store, id)) if as_csv else to_jsonl(found)
        with _opened(output) as file:
            file.writelines(lines)


@app.command("import-campaign")
def bring_campaign(
    source: Annotated[Path, typer.Argument(help="JSONL that `export --campaign` wrote.")],
    name: Annotated[str, typer.Option(help="What to call it here; by default as it was.")] = "",
) -> None:
    """Put an exported campaign into the database: the same tasks, labels, decisions and figures of agreement."""
    with closing(Store.open(Settings.read().database_url)) as store:
        brought = import_campaign(store, _lines(source), name)
        counts = store.counts()
    typer.echo(f"Imported {brought.name!r}, version {brought.version}. Labels in this database: {counts['response']}.")


@app.command("invite")
def invite_person(
    name: Annotated[str, typer.Argument(help="Who; for a sign-in through an organisation the e-mail address.")],
    role: Annotated[Role, typer.Option(help="What they may do.")] = Role.ANNOTATOR,
    days: Annotated[
        int | None, typer.Option(min=1, help="How long the code is valid; until revoked by default.")
    ] = None,
) -> None:
    """Print a personal code for a shared server; only its hash is stored. Whoever is not here yet is added."""
    with closing(Store.open(Settings.read().database_url)) as store, store.writing() as session:
        code = invite_by_name(session, name.strip(), role, "the command line", days)
    typer.echo(code)
    _say(f"{name} signs in as {role.value} with this code, or by the address of the server followed by /?invite={code}")


@app.command("backup")
def back_up(
    file: Annotated[Path, typer.Argument(help="A new file; it holds names and codes, so keep it safe.")],
) -> None:
    """Write the whole database into a file while people go on working; SQLite or PostgreSQL, checked afterwards."""
    typer.echo(
        f"Backed up into {file}: {_told_rows(backup(Settings.read().database_url, file))}. Checked: it is whole."
    )


@app.command("restore")
def put_back(
    file: Annotated[Path, typer.Argument(help="What `backup` wrote, by this version or an older one.")],
    replace: Annotated[bool, typer.Option("--replace", help="Lose what is in the database now.")] = False,
) -> None:
    """Put a backup into the database that TOUCHSTONE_DATABASE_URL names, SQLite or PostgreSQL; stop the server first."""
    typer.echo(f"Restored {file}: {_told_rows(restore(file, Settings.read().database_url, replace))}.")


def _told_rows(counts: Mapping[str, int]) -> str:
    labels = f"{counts['label']} labels, {counts['response']} labels of campaigns"
    return f"{sum(counts.values())} rows, among them {counts['item']} texts, {labels}"


def _check_model(pairs: Path, output: Path) -> None:
    """Refuse a file that no metric would find, or that would overwrite the pairs, before an hour of work."""
    if output.suffix != SUFFIX:
        raise TouchstoneError(
            f"A shallow model is a file *{SUFFIX}; got {output.name!r}. Write -o {output.stem}{SUFFIX}."
        )
    _keep_apart(pairs, output)


def _held_out(facts: Facts) -> str:
    reached = "unknown, as all targets are alike" if facts.agreement is None else f"{facts.agreement:.3f}"
    return (
        f"Learned {facts.target} from {facts.pairs} pairs of {facts.documents} documents. Held out: "
        f"{facts.held_out_pairs} pairs of {facts.held_out_documents} documents; {facts.measure}: {reached}."
    )


def _say_estimate(engine: Engine, talks: Iterable[Talk[Any]]) -> None:
    """Say what endpoints will be asked, at most; a run whose endpoint is not set says so by itself."""
    found = attempt(lambda: told(engine.estimate(talks)))
    if not isinstance(found, Trouble) and found:
        _say(f"To be asked: {found}.")


def _keep_apart(source: Path, output: Path) -> None:
    if output.exists() and source.exists() and output.samefile(source):
        raise TouchstoneError(f"{output} is the file of pairs itself, which would be lost. Name another with -o.")


def _begun(found: Iterator[T]) -> Iterator[T]:
    """The same, the first of them read: a file that cannot be read is refused before anything is overwritten."""
    return chain(list(islice(found, 1)), found)


def _write(output: Path, outcomes: Iterable[tuple[Example, Outcome]]) -> int:
    """Write a line for each outcome as it comes; the number of failures among them."""
    failures = 0
    with _opened(output) as file:
        for example, outcome in _followed(outcomes, "scores"):
            file.write(json.dumps(as_record(example, outcome), ensure_ascii=False, allow_nan=False) + "\n")
            failures += isinstance(outcome, Failure)
    return failures


def _write_edits(file: TextIO, found: Iterable[Line | Unused]) -> Counter[Why]:
    """Write a line for each pair and say why each other edit is not used; how many there are of which kind."""
    unused: Counter[Why] = Counter()
    written = 0
    for one in found:
        if isinstance(one, Unused):
            unused[one.why] += 1
            _say(f"{one.source} {one.why}: {one.reason}")
        else:
            file.write(json.dumps(one, ensure_ascii=False, allow_nan=False) + "\n")
            written += 1
    _say(f"Edits written: {written}.")
    return unused


def _cases(cases: Path | None, dataset: str | None, output: Path, refusals: list[Refusal]) -> list[Case]:
    """The explanations of a file or of an imported dataset."""
    if (cases is None) == (dataset is None):
        raise TouchstoneError("Name a file of explanations, or an imported dataset with --dataset: one of the two.")
    if cases:
        _keep_apart(cases, output)
        return list(_readable(read_cases(cases), cases, refusals))
    return list(_imported_cases(dataset or ""))


def _imported_cases(dataset: str) -> Iterator[Case]:
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        found = samples(store, dataset)
        wanted = {sample.stored for sample in found if sample.item.explanations}
        documents = {example.id: example.document for example in examples(store, dataset) if example.id in wanted}
    if not wanted:
        raise TouchstoneError(f"{dataset} has no explanations. Import one that has, such as factualnlg.")
    texts = (replace(sample.item.example, document=documents.get(sample.stored, "")) for sample in found)
    return cases_of(replace(sample.item, example=text) for sample, text in zip(found, texts, strict=True))


def _write_judged(file: TextIO, signed: str, found: Iterable[tuple[Case, Judged | Failure]], count: int) -> None:
    """Write a line for each case, and say how many there are of each grade."""
    grades: Counter[str] = Counter()
    for case, outcome in _followed(found, "explanations judged", count):
        file.write(json.dumps(as_judged(case, signed, outcome), ensure_ascii=False, allow_nan=False) + "\n")
        grades["failed" if isinstance(outcome, Failure) else outcome.grade] += 1
    _say(f"Explanations judged: {', '.join(f'{grade} {count}' for grade, count in grades.most_common()) or 'none'}.")


def _run(plan: Plan, sources: Iterable[Source]) -> Run:
    run = Run(plan)
    for source in sources:
        run.add(source)
    return run


def _named(pairs: Path | None, dataset: str | None, output: Path) -> str:
    """What a run is called by: the file or the dataset, of which one must be given."""
    if (pairs is None) == (dataset is None):
        raise TouchstoneError("Name a file of pairs, or an imported dataset with --dataset: one of the two.")
    if pairs:
        _keep_apart(pairs, output)
    return pairs.name if pairs else dataset or ""


def _given(
    pairs: Path | None, dataset: str | None, most: int | None, seed: int, refusals: list[Refusal]
) -> list[Source]:
    """The originals of a file, edited summaries being left to `score`; or those of a dataset."""
    if pairs:
        return [Source.of(item) for item in _items(pairs, refusals) if not item.parent]
    return _imported_sources(dataset or "", most, seed)


def _imported_sources(dataset: str, most: int | None, seed: int) -> list[Source]:
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        among = sound(whole_samples(samples(store, dataset)))
        found = sources(pick(among, most or len(among), seed), examples(store, dataset))
    if not found:
        raise TouchstoneError(
            f"{dataset} has no summary that is stored with its document and not labelled inconsistent. Import one that has."
        )
    return found


def _watch(run: Run, records: Iterable[Record]) -> None:
    """Say how far a run is, at most every second."""
    started, before, said = time.monotonic(), run.done, 0.0
    for _ in records:
        now = time.monotonic() - started
        if now - said >= 1:
            said = now
            _say(f"\r  {Progress(run.done, run.total, (run.done - before) / now, running=True)}   ", end="")
    _say(f"\r  {run.done} of {run.total} scores in {time.monotonic() - started:.0f} s")


def _lines(source: Path) -> list[str]:
    try:
        return source.read_text(encoding="utf-8").split("\n")  # U+2028 and the like end no row
    except (OSError, UnicodeDecodeError) as error:
        raise TouchstoneError(f"{source} cannot be read: {error}. Name another file.") from error


def _followed(found: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The same; says at most every second how many came."""
    said, told = time.monotonic(), False
    for number, one in enumerate(found, start=1):
        yield one
        if time.monotonic() - said >= 1:
            said, told = time.monotonic(), True
            _say(f"\r  {number:,}{'' if total is None else f' of {total:,}'} {what}", end="")
    if told:
        _say("")


def _opened(output: Path) -> TextIO:
    try:
        return output.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise TouchstoneError(f"{output} cannot be written: {error.strerror}. Name another file with -o.") from error


def _examples(source: Path, refusals: list[Refusal]) -> Iterator[Example]:
    return (item.example for item in _items(source, refusals))


def _items(source: Path, refusals: list[Refusal]) -> Iterator[Item]:
    return _readable(Pairs().read(source), source, refusals)


def _readable(found: Iterable[T | Refusal], source: Path, refusals: list[Refusal]) -> Iterator[T]:
    """What could be read of a file; what could not is named and kept in mind."""
    for one in found:
        if isinstance(one, Refusal):
            refusals.append(one)
            _say(f"{source}, line {one.line}: {one.reason}")
        else:
            yield one


def _fetch(pool: ModelPool, chosen: Iterable[Metric | Guard]) -> None:
    """Download what metrics and guards need; what cannot be had fails its own scores later, with the reason."""
    for checkpoint in dict.fromkeys(checkpoint for one in chosen for checkpoint in one.checkpoints()):
        if pool.state(checkpoint).status is Status.NEEDS_DOWNLOAD:
            _say(f"Downloading {checkpoint.source} …")
            pool.fetch(checkpoint)
            _follow(pool, checkpoint)


def _follow(pool: ModelPool, checkpoint: Checkpoint) -> None:
    while (state := pool.state(checkpoint)).status is Status.DOWNLOADING:
        _say(f"\r  {100 * (state.progress or 0):3.0f} % {state.message}", end="")
        time.sleep(0.5)
    _say(f"\r  {state.message or state.status}")


def _say(text: str, end: str = "\n") -> None:
    typer.echo(text, err=True, nl=end == "\n")


def main() -> None:
    try:
        app()
    except TouchstoneError as error:
        _say(str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
