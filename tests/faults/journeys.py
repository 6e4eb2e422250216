"""Journeys of users, small enough to be done some thousand times an hour: commands, pages and the score service."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from sqlalchemy import make_url, text

from annotations.campaigns.campaign import load_campaigns
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.responses import SentResponse
from annotations.people.people import find_person
from annotations.store.database import connect, read_session
from annotations.store.migrate import MIGRATIONS_FOLDER, upgrade
from annotations.store.store import Store
from cli import main
from core.data.datasets.bundled import bundled_items
from core.errors import TouchstoneError
from core.scoring import METRICS, Engine
from core.settings import Settings
from core.types import Failure, Result
from tests.faults.harness import Journey
from tests.unit.annotations.campaigns.actors import ANSWERS, make_campaign
from tests.unit.annotations.pair_samples import PAIR, record
from tests.unit.core.assessment.audit.pair_files import write_bundled_pairs
from tests.unit.core.evaluation.training.training_process import items

_SAVED = "The label is saved."
DATABASE = "sqlite:///touchstone.db"


def command(*arguments: str) -> None:
    """`cli.py ARGUMENTS`, as in a process of its own."""
    sys.argv = ["cli.py", *arguments]
    main()


def journeys() -> list[Journey]:
    """All of them, those without a model first: what one of them imported the next ones have, too."""
    pairs = ("pairs", "pairs.jsonl", "--name", "few")
    score = ("score", "pairs.jsonl", "-o", "scores.jsonl", "--metric")
    stress = ("stress", "pairs.jsonl", "--battery", "few.toml", "--metric", "rouge2", "-o", "run.jsonl")
    audit = ("audit", "rouge2", "--data", "pairs.jsonl", "--battery", "few.toml", "--to", "audit.svg")
    campaign = ("export", "--campaign", "Boats", "--format")
    return [
        _command("open a new database", _nothing, "datasets"),
        _command("migrate", _older_database, "migrate", is_atomic=True),
        _command("import", _pairs, "import", *pairs, is_atomic=True),
        _command("import a new version", _other_version, "import", *pairs, "--replaces", "pairs.jsonl", is_atomic=True),
        _command("score", _pairs, *score, "rouge2", "--metric", "coverage"),
        _command("score a dataset", _dataset, "score-dataset", "few", "--metric", "rouge2"),
        _command("score blocks", _blocks, "score", "blocks", "--to", "results", "--metric", "rouge2"),
        _command("study", _scored, "study", "measures", "--dataset", "few", "--resamples", "50", "--to", "report.html"),
        _command("threshold", _scored, "threshold", "rouge2", "--data", "few", "-o", "threshold.json"),
        _command("draw", _scored, "draw", "few", "--name", "Boats", "--way", "random", is_atomic=True),
        _command("backup", _campaign, "backup", "kept.backup"),
        _command("restore", _backup, "restore", "kept.backup", is_atomic=True),
        _command("restore over another", _other_database, "restore", "kept.backup", "--replace", is_atomic=True),
        _command("export everything", _campaign, "export", "-o", "all.jsonl"),
        _command("export everything as CSV", _campaign, "export", "-o", "all.csv"),
        _command("export a campaign", _campaign, *campaign, "hf-dataset", "-o", "boats.zip"),
        _command("export a campaign as CSV", _campaign, *campaign, "csv", "-o", "boats.csv"),
        _command("export a dataset", _dataset, "export", "--dataset", "few", "-o", "few.zip"),
        _command("import a campaign", _exported, "import-campaign", "boats.jsonl", "--name", "Rafts", is_atomic=True),
        Journey("stress", _few_kinds, partial(command, *stress), drops_cut_line=True),
        Journey("audit", _few_kinds, partial(command, *audit)),
        Journey("save a label", _campaign, _as_a_page(_save_label), acknowledged={_SAVED: "'press'"}),
        Journey("score on a page", _nothing, partial(_score_on_a_page, "rouge2")),
        Journey("ask the score service", _nothing, _ask_service),
        _command("score with a model", _one_pair, *score, "word-support"),
        _command(
            "train",
            _training,
            "train",
            "labelled.jsonl",
            "--recipe",
            "shallow",
            "--to",
            "models/own",
            "--corruptions",
            "0",
        ),
    ]


def endpoint_journey(url: str) -> Journey:
    """Scoring by a language model, which a server on loopback plays."""
    variables = {"LLM_BASE_URL": url, "LLM_MODEL": "m", "LLM_WAIT_S": "0", "LLM_RETRIES": "1", "LLM_PATIENCE_S": "5"}
    return Journey(
        "score by an endpoint",
        _one_pair,
        partial(command, "score", "pairs.jsonl", "-o", "scores.jsonl", "--metric", "direct-assessment"),
        {f"TOUCHSTONE_{name}": value for name, value in variables.items()},
    )


def _command(name: str, prepare: Callable[[], object], *arguments: str, is_atomic: bool = False) -> Journey:
    return Journey(name, prepare, partial(command, *arguments), is_atomic=is_atomic)


def _nothing() -> None: ...


def _pairs(documents: int = 2) -> None:
    write_bundled_pairs(Path("pairs.jsonl"), documents)


def _one_pair() -> None:
    _pairs(1)
    first, *_ = Path("pairs.jsonl").read_text().splitlines()
    Path("pairs.jsonl").write_text(f"{first}\n")


def _dataset() -> None:
    _pairs()
    _prepare_by("import", "pairs", "pairs.jsonl", "--name", "few")


def _other_version() -> None:
    _dataset()
    file = Path("pairs.jsonl")
    file.write_text(file.read_text().replace("harbour", "haven"))


def _prepare_by(*arguments: str) -> None:
    try:
        command(*arguments)
    except SystemExit as ended:
        if ended.code:
            raise


def _scored() -> None:
    _dataset()
    _prepare_by("score-dataset", "few", "--metric", "rouge2")


def _blocks() -> None:
    _pairs()
    _prepare_by("blocks", "pairs.jsonl", "blocks")


def _few_kinds() -> None:
    _pairs()
    Path("few.toml").write_text(f'title = "Few"\ndate = 2026-11-25\nkinds = {json.dumps(["number", "negation"])}\n')


def _training() -> None:
    rows = [
        {"document": item.example.document, "summary": item.example.summary, "label": item.intended} for item in items()
    ]
    Path("labelled.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def _campaign() -> None:
    with closing(Store.open(DATABASE)) as store:
        store.save_pair(PAIR)
        store.save_label(record())
        opened = make_campaign(store, items=2)
        opened.label(opened.annotator("ben"), 1)


def _exported() -> None:
    _campaign()
    _prepare_by("export", "--campaign", "Boats", "-o", "boats.jsonl")
    _remove_database()


def _backup() -> None:
    _campaign()
    _prepare_by("backup", "kept.backup")
    _remove_database()


def _remove_database() -> None:
    for file in Path().glob("touchstone.db*"):
        file.unlink()


def _other_database() -> None:
    _backup()
    with closing(Store.open(DATABASE)) as store:
        make_campaign(store, items=1, called="Rafts")


def _older_database() -> None:
    """A database of the first version, with a row."""
    shutil.copytree(MIGRATIONS_FOLDER, "first", ignore=shutil.ignore_patterns("000[2-9]_*", "00[1-9]*"))
    engine = connect(make_url(DATABASE))
    upgrade(engine, Path("first"))
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO draft VALUES ('d', 'local', 'work', '2026-11-20 00:00:00+00:00')"))
    engine.dispose()
    shutil.rmtree("first")


def _as_a_page(act: Callable[[Store], object]) -> Callable[[], None]:
    """With the database open; where that or the act fails, its sentence, as a page shows it."""

    def on_page() -> None:
        try:
            with closing(Store.open(DATABASE)) as store:
                act(store)
        except TouchstoneError as error:
            sys.exit(str(error))

    return on_page


def _save_label(store: Store) -> None:
    """Somebody takes a task, leaves a draft, answers, and presses again."""
    with read_session(store.engine) as session:
        [campaign], person = load_campaigns(session), find_person(session, "ben")
    assert person
    annotator = AnnotatorActions(store, person)
    task = annotator.next(campaign.id)
    if isinstance(task, ShownTask):
        annotator.save_draft(task.reservation, {"answers": {}})
        for _ in range(2):
            annotator.send(SentResponse(task.reservation, "answer", "press", ANSWERS["label-summaries"]))
            sys.stdout.write(f"{_SAVED}\n")
            sys.stdout.flush()  # a process that is killed writes nothing later


def _score_on_a_page(spec: str) -> None:
    """The board of a page, whose cells are filled while somebody looks at it."""
    metrics, examples = [METRICS.parse(spec)], [item.example for item in bundled_items()[:3]]
    try:
        with closing(Engine.open(Settings.read())) as engine:
            request, version = engine.submit("ada", metrics, examples), -1
            while True:
                version, cells = engine.cells(request)
                outcomes = [cell.outcome for cell in cells.values()]
                if all(outcomes):
                    break
                engine.wait(request, version, 1)
    except TouchstoneError as error:
        sys.exit(str(error))
    scores = [outcome.score for outcome in outcomes if isinstance(outcome, Result)]
    sys.stdout.write(f"{scores}\n")
    if errors := [outcome.error for outcome in outcomes if isinstance(outcome, Failure)]:
        sys.exit(errors[0])


def _ask_service() -> None:
    """A request to the service that `cli.py serve` starts."""
    from starlette.testclient import TestClient

    from pages.server.score_service import ScoreService

    pair = {"document": PAIR.document, "summary": PAIR.edited}
    try:
        with closing(Engine.open(Settings.read())) as engine:
            service = ScoreService(engine, [METRICS.parse("rouge2")], "")
            with TestClient(service.app(), raise_server_exceptions=False) as client:
                answer = client.post("/score", json=pair)
    except TouchstoneError as error:
        sys.exit(str(error))
    sys.stdout.write(answer.text)
    if answer.status_code != 200 or answer.json()["score"] is None:
        sys.exit(answer.text)
