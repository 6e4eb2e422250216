"""A function of a file is a metric like any other: settings, sentences, cache, signature, and what its code decides."""

from __future__ import annotations

import os
import pickle
import threading
from pathlib import Path

import pytest

from core.scoring.engine.conversation import CellState
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.plugins.function_metric import FunctionMetric
from core.scoring.plugins.processes.loading import load_plugin
from core.scoring.plugins.source import source_hash
from core.settings import Settings, add_plugin_files
from core.types import Context, Example, Failure, Outcome, Part, Result, Span
from tests.doubles.models import PATIENCE_S
from tests.unit.core.scoring.plugins.conftest import WriteFile

PAIR = Example("pair", "It rained in York.", "It snowed in York. It was cold.", question="How was it?")


def load(write: WriteFile, source: str) -> type[FunctionMetric]:
    [metric] = load_plugin(write(source), Settings.read()).metrics
    return metric


def result(engine: Engine, metric: FunctionMetric, example: Example = PAIR) -> Result:
    [(_, outcome)] = engine.run([metric], [example])
    assert isinstance(outcome, Result), outcome
    return outcome


def test_the_card_is_what_the_decorator_and_the_docstring_say(write: WriteFile) -> None:
    metric = load(
        write,
        '@ts.metric(title="Words", low=-1, high=None, direction="lower")\ndef my_words(a, b):\n    """Count words.\n\n    Slowly."""',
    )
    card = metric.card
    assert (metric.name, card.title, card.low, card.high, card.direction, card.measures) == (
        *("my-words", "Words", -1, None, "lower", "Count words."),
    )


FORMS = {
    "pair": "def mine(document, summary): return len(summary) / 100",
    "question": "def mine(document, summary, question): return len(summary) / 100 if question == 'How was it?' else 0",
    "batch": "def mine(examples): return [len(one.summary) / 100 for one in examples]",
    "async pair": "async def mine(document, summary): return len(summary) / 100",
    "async batch": "async def mine(examples): return [len(one.summary) / 100 for one in examples]",
    "generator": "def mine(examples):\n    for one in examples: yield len(one.summary) / 100",
    "score": "def mine(document, summary): return ts.Score(len(summary) / 100)",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_scores(form: str, write: WriteFile, engine: Engine) -> None:
    found = result(engine, load(write, f"@ts.metric\n{FORMS[form]}")())
    assert (found.score, found.counts.asked, found.device) == (0.31, 1, "cpu")


def test_async_functions_wait_at_the_same_time(write: WriteFile) -> None:
    source = """
    import asyncio
    together = asyncio.Event()
    here = []

    @ts.metric
    async def mine(document, summary):
        here.append(summary)
        if len(here) == 3:
            together.set()
        await together.wait()
        return 1
    """
    from core.scoring.plugins.processes.process import PluginLimits, PluginProcess

    process = PluginProcess(write(source), PluginLimits.of(Settings.read()))
    answers = process.ask("mine", (), [Example("", "d", f"s{number}") for number in range(3)])
    process.end()
    assert [getattr(answer, "values", answer) for answer in answers] == [(1.0,)] * 3


def test_sentences_evidence_and_notes_arrive(write: WriteFile, engine: Engine) -> None:
    source = """
    @ts.metric
    def mine(document, summary):
        first = ts.Part(ts.Span(0, 18), 0.25, ts.Span(0, 9))
        return ts.Score(0.5, (first, ts.Part(ts.Span(19, 31), 0.75)), ts.Seen(notes=("Read twice.",)))
    """
    found = result(engine, load(write, source)())
    assert found.parts == (Part(Span(0, 18), 0.25, Span(0, 9)), Part(Span(19, 31), 0.75))
    assert found.seen.notes == ("Read twice.",)


def test_a_batch_sees_the_contexts_of_an_example(write: WriteFile, engine: Engine) -> None:
    metric = load(write, "@ts.metric\ndef mine(examples): return [one.contexts[0].span.end / 100 for one in examples]")
    contexts = (Context("first", Span(0, 9)), Context("second", Span(10, 18)))
    assert result(engine, metric(), Example("pair", PAIR.document, "Rain.", contexts)).score == 0.09


def test_functions_of_one_file_have_answers_of_their_own(write: WriteFile, engine: Engine) -> None:
    file = write("@ts.metric\ndef one(a, b): return 0.25\n@ts.metric\ndef two(examples): return [0.5] * len(examples)")
    metrics = [metric() for metric in load_plugin(file, Settings.read()).metrics]
    found = [outcome for _, outcome in engine.run(metrics, [PAIR])]
    assert [one.score for one in found if isinstance(one, Result)] == [0.25, 0.5]


def test_keyword_arguments_are_settings(write: WriteFile, engine: Engine) -> None:
    source = (
        "@ts.metric\ndef mine(document, summary, *, share: float = 0.5, loud: bool = False): return share + loud / 4"
    )
    metric = load(write, source)
    assert metric(share=0.25, loud=True).spec == "mine[share=0.25,loud=true]"  # type: ignore[call-arg]  # made at run time
    assert result(engine, metric()).score == 0.5
    found = result(engine, metric(share=0.25, loud=True))  # type: ignore[call-arg]
    assert (found.score, found.counts.cached) == (0.5, 0)
    assert "share:0.25|loud:True" in found.signature


def test_the_answer_is_kept_until_the_code_changes(write: WriteFile, engine: Engine) -> None:
    first = result(engine, load(write, "@ts.metric\ndef mine(a, b): return 0.25")())
    again = result(engine, load(write, "@ts.metric\ndef mine(a, b): return 0.25")())
    assert (again.counts.cached, again.counts.asked, again.signature) == (1, 0, first.signature)
    metric = load(write, "@ts.metric\ndef mine(a, b): return 0.125")
    edited = result(engine, metric())
    assert (edited.score, edited.counts.asked) == (0.125, 1)
    assert edited.signature != first.signature
    assert f"source:{source_hash(metric.function.source)[:12]}" in edited.signature


@pytest.mark.slow
def test_a_page_that_asks_again_after_an_edit_gets_the_new_score(write: WriteFile, engine: Engine) -> None:
    metric = load(write, "@ts.metric\ndef mine(a, b): return 0.25")()
    assert scored(engine, metric) == 0.25
    write("@ts.metric\ndef mine(a, b): return 0.5")
    assert scored(engine, metric) == 0.5


def scored(engine: Engine, metric: FunctionMetric) -> float:
    """The score that a page shows, once it is there."""
    request = engine.submit("page", [metric], [PAIR])
    while True:
        version, cells = engine.cells(request)
        cell = cells[metric.spec, PAIR.id]
        if cell.state is CellState.READY:
            assert isinstance(cell.outcome, Result)
            return cell.outcome.score
        assert not isinstance(cell.outcome, Failure), cell
        assert engine.wait(request, version, PATIENCE_S)


@pytest.mark.slow
def test_a_module_beside_the_file_is_part_of_its_code(write: WriteFile, engine: Engine) -> None:
    write("VALUE = 0.25", "beside_it.py")
    metric = load(write, "from beside_it import VALUE\n@ts.metric\ndef mine(a, b): return VALUE")
    before = source_hash(metric.function.source)
    assert result(engine, metric()).score == 0.25
    write("VALUE = 0.625", "beside_it.py")
    assert source_hash(metric.function.source) != before
    assert result(engine, metric()).score == 0.625


@pytest.mark.slow
def test_a_run_that_is_closed_asks_no_more(write: WriteFile, engine: Engine, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    metric = load(write, f"@ts.metric\ndef mine(a, b):\n    open({str(asked)!r}, 'a').write('x'); return 1")
    before = len(asked.read_text())
    outcomes = engine.run([metric()], [Example(str(n), "It rained.", f"It rained {n} times.") for n in range(100_000)])
    next(outcomes)
    outcomes.close()
    while engine.counts().passes == 0:
        pass
    engine.close()
    assert len(asked.read_text()) - before < 2_000


def test_an_engine_that_is_closed_does_not_wait_for_a_function(
    write: WriteFile, engine: Engine, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    source = f"@ts.metric\ndef mine(a, b):\n    if 'snow' in b:\n        open({str(begun)!r}, 'w').close()\n        while True: pass\n    return 1"
    metric = load(write, source)()
    outcomes: list[Outcome] = []
    waiting = threading.Thread(target=lambda: outcomes.extend(one for _, one in engine.run([metric], [PAIR])))
    waiting.start()
    begun.read_bytes()
    engine.close()
    waiting.join(PATIENCE_S)
    assert [type(one) for one in outcomes] == [Failure]


def test_no_plug_in_moves_a_figure_of_another_metric(write: WriteFile, engine: Engine) -> None:
    rouge = METRICS.parse("rouge2")
    [(_, alone)] = engine.run([rouge], [PAIR])
    metric = load(write, "import math\nmath.log = len\n@ts.metric\ndef mine(a, b): return 1")
    (_, _), (_, beside) = engine.run([metric(), rouge], [PAIR])
    assert isinstance(alone, Result)
    assert isinstance(beside, Result)
    assert (alone.score, alone.signature, alone.parts) == (beside.score, beside.signature, beside.parts)


def test_a_metric_is_pickled_by_its_spec(write: WriteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = load(write, "@ts.metric\ndef pickled(a, b, *, k: int = 1): return 1")
    monkeypatch.setitem(METRICS.listed, "pickled", metric)  # type: ignore[arg-type]  # a dictionary, seen as a mapping
    one = metric(k=2)  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.slow
def test_a_process_gets_no_key_of_ours(write: WriteFile, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "secret")
    monkeypatch.setenv("TOUCHSTONE_KEY_OTHER", "secret")
    monkeypatch.setenv("THEIR_KEY", "theirs")
    source = "import os\n@ts.metric\ndef mine(a, b): return ('secret' in os.environ.values()) / 2 + (os.environ.get('THEIR_KEY') == 'theirs') / 4"
    assert result(engine, load(write, source)()).score == 0.25


def test_files_of_the_option_join_those_of_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_PLUGINS", "/a/one.py")
    add_plugin_files(["/b/two.py", "/a/one.py"])
    assert Settings.read().plugin_files == ["/a/one.py", "/b/two.py"]
