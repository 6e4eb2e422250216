"""An engine with a real pool and cache in a folder of its own, and a scripted kind of model for it to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.conversation import BoardCell, CellKey, Conversation, Request, RunningConversation
from core.scoring.engine.engine import Engine
from core.scoring.metric import Metric
from core.types import Example, Outcome
from tests.doubles.metrics import Asking, Letters
from tests.doubles.models import NO_HEADER, PATIENCE_S, ScriptedKind, weights

DOCUMENT = "The harbour was closed on Tuesday. Nobody was hurt."


@dataclass(frozen=True)
class Bench:
    """What an engine test needs at hand."""

    engine: Engine
    kind: ScriptedKind
    folder: Path

    def asking(self, model: str = "model", prefix: str = "") -> Asking:
        """A metric on a checkpoint of that name, made where there is none."""
        folder = self.folder / model
        if not folder.exists():
            weights(folder, NO_HEADER + model.encode())
        return Asking(str(folder), prefix)

    def outcomes(self, request: Request) -> dict[CellKey, Outcome]:
        """Every outcome of a request, waited for."""
        cells = self.until(request, lambda cells: all(cell.outcome for cell in cells.values()))
        return {place: cell.outcome for place, cell in cells.items() if cell.outcome}

    def until(self, request: Request, wanted: Callable[[dict[CellKey, BoardCell]], bool]) -> dict[CellKey, BoardCell]:
        """The cells of a request as soon as they are as wanted."""
        version, cells = self.engine.cells(request)
        while not wanted(cells):
            assert self.engine.wait(request, version, PATIENCE_S), f"still {cells}"
            version, cells = self.engine.cells(request)
        return cells

    def until_planned(self, questions: int) -> None:
        """Wait until so many questions were planned since the start, each answered or enqueued for a model."""
        lock = self.engine._lock  # nothing that a request shows changes at this point
        with lock:
            assert lock.wait_for(lambda: self.engine.counts().planned >= questions, PATIENCE_S)

    def at_the_model(self) -> None:
        """Wait until a forward pass has begun; it goes on once the gate is open."""
        assert self.kind.entered.wait(PATIENCE_S)
        self.kind.entered.clear()

    def ask(self, *metrics: Metric, summary: str = "Rain fell.", owner: str = "ana") -> list[Outcome]:
        """The outcomes of metrics on one summary, in their order."""
        found = self.outcomes(self.engine.submit(owner, metrics, [pair(summary)]))
        return [found[(metric.spec, "pair")] for metric in metrics]

    def load(self, metric: Asking) -> Checkpoint:
        """Have the model of a metric in memory."""
        with self.engine.pool.lease(metric.weights):
            return metric.weights


def pair(summary: str, name: str = "pair") -> Example:
    return Example(name, DOCUMENT, summary)


def open_bench(folder: Path, kind: ScriptedKind, device: str = "cpu") -> Bench:
    """A bench whose answers are kept in `folder`."""
    pool = ModelPool(device, 1_000_000, folder / "cache")
    return Bench(Engine(pool, AnswerCache(folder / "cache")), kind, folder)


def asking(request: Request, place: int) -> RunningConversation:
    """The task of a conversation that asks nothing, at a place of a request."""
    metric, example = Letters(), pair("Rain fell.")
    conversation = Conversation(metric.spec, example, partial(metric.rounds, example))
    return RunningConversation(conversation, request, place)
