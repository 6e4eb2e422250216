"""One request for edits, answered in the background while a page goes on."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from core.editing.batch import opinions
from core.editing.editor import Editor
from core.editing.proposal import WANTED, Accepted, Proposals
from core.engine import Engine
from core.stress.background import Background
from core.trivial import Opinion
from core.types import Example, Failure

_News = Proposals | Failure | tuple[Accepted, Opinion | Failure]


class Asked:
    """The edits of one answer and, where `judged`, what the same model says of each of them afterwards."""

    def __init__(self, engine: Engine, editor: Editor, example: Example, judged: bool) -> None:
        self.example = example
        self.editor = editor
        self.judged = judged
        self._work: Background[_News] = Background(partial(_news, engine, editor, example, judged), 1 + WANTED)

    @property
    def came(self) -> int:
        """A number that grows with everything that is new to show."""
        return len(self._work.found) + (not self.running)

    @property
    def running(self) -> bool:
        return self._work.progress.running

    @property
    def trouble(self) -> str:
        """Why nothing came that should have; empty where all is well."""
        return self._work.progress.trouble

    @property
    def outcome(self) -> Proposals | Failure | None:
        """None until there is an answer."""
        return next((one for one in self._work.found if not isinstance(one, tuple)), None)

    @property
    def verdicts(self) -> dict[int, Opinion | Failure]:
        """What the model has said of the edits so far, by their number."""
        return {one[0].number: one[1] for one in self._work.found if isinstance(one, tuple)}

    def drop(self) -> None:
        """Ask nothing more; an answer under way is paid for and is not shown."""
        self._work.cancel()

    def wait(self, timeout: float) -> bool:
        """Wait until everything has come; False when it did not in time."""
        return self._work.wait(timeout)


def _news(engine: Engine, editor: Editor, example: Example, judged: bool) -> Generator[_News]:
    for _, outcome in engine.converse([editor.proposing(example)]):
        yield outcome
        if judged and isinstance(outcome, Proposals):
            kept = outcome.accepted
            yield from zip(kept, opinions(engine, editor, example, kept), strict=True)
