"""The form of a new stress run: where its pairs come from, what of a file is left out, and a demo that keeps nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.data.datasets.bundled import bundled_items
from core.results.runs.stress_run import StressRun, run_from_lines
from core.types import Verdict
from pages.server import services
from pages.ui.probe.pair import EDITOR_KEY
from pages.ui.probe.text_panes import EditorState
from pages.ui.results.run_choice import StressState
from tests.conftest import Weights
from tests.tiny_masked import masked_roberta
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

FIRST = bundled_items()[0].example
RUN_S = 60
DOCUMENT = "The mill number {} burned on Monday. Orla Voss had sold it in 1990 to a bank."
HEADER = "document,original,variant,kind,intent\n"
ROW = '"{0}","The mill number {1} burned on Monday.","The mill number {1} burned on Friday.",wrong day,breaking\n'


def opened(app: AppTest, pairs: str) -> AppTest:
    """The form of a new run with one quick metric and pairs from there."""
    app.run()
    app.session_state["stress-pairs"] = pairs
    app.run()
    app.multiselect(key="stress-metrics").set_value(["coverage"]).run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    shown = [*app.caption, *app.text, *app.error, *app.info, *app.markdown]
    return " ".join(element.value for element in shown).replace("\\", "")


def run_to_the_end(app: AppTest, name: str) -> None:
    """Press Run, and wait until every score of the run is kept."""
    app.text_input(key="stress-name").set_value(name)
    app.button(key="stress-go").click().run()
    assert not app.exception
    id = "".join(app.query_params["run"])
    until = time.monotonic() + RUN_S
    while (progress := services.stress_runner().progress(id)) and progress.running:
        assert time.monotonic() < until
        time.sleep(0.02)
    app.run()
    assert not app.exception


def stored(store: Store, name: str) -> StressRun:
    [row] = [row for row in store.runs() if row.name == name]
    return run_from_lines(store.run_lines(row.id))


@pytest.mark.slow
def test_a_dataset_is_drawn_from_by_the_seed_without_what_is_labelled_inconsistent(
    open_page: Open, store: Store
) -> None:
    items = [replace(item, intended=Verdict.INCONSISTENT if item.parent else None) for item in bundled_items()]
    originals = [item.example for item in items if not item.intended]
    store.import_dataset(DatasetSource("mine", "pairs", "mine.jsonl", "0" * 64, "", "", "local"), items, dict)
    app = opened(open_page("stress"), "A dataset")
    until = time.monotonic() + RUN_S
    while "stress-most" not in {box.key for box in app.number_input} or "summaries with" not in words(app):
        assert time.monotonic() < until
        app.run()
    app.selectbox(key="stress-dataset").set_value("mine").run()
    while f"{len(originals)} summaries with their documents." not in words(app):
        assert time.monotonic() < until
        app.run()
    assert app.toggle(key="stress-sound").label == f"Leave out {len(items) - len(originals)} labelled inconsistent"
    app.number_input(key="stress-most").set_value(3).run()
    run_to_the_end(app, "From a dataset")
    sources = stored(store, "From a dataset").sources.values()
    assert len(sources) == 3
    assert {source.example for source in sources} <= set(originals)


def test_the_pair_on_probe_is_run_as_it_was_before_its_edits(probe: Open, store: Store) -> None:
    app = probe()
    state_of(app, EditorState, EDITOR_KEY).text = "Another summary."
    app.run()
    app = opened(app.switch_page("views/stress.py"), "The pair on Probe")
    assert "its summary before your edits" in words(app)
    run_to_the_end(app, "From Probe")
    [source] = stored(store, "From Probe").sources.values()
    assert source.example == FIRST


@pytest.mark.slow
def test_a_table_of_variants_is_scored_under_its_own_kinds(open_page: Open, store: Store) -> None:
    app = opened(open_page("stress"), "A table of variants")
    assert app.button(key="stress-go").disabled
    app.file_uploader(key="stress-variants").set_value(("empty.csv", HEADER.encode(), "text/csv")).run()
    assert "empty.csv holds no variant that can be read." in words(app)
    table = HEADER + "".join(ROW.format(DOCUMENT.format(n), n) for n in range(3)) + '"a","b c","b c",same,breaking\n'
    app.file_uploader(key="stress-variants").set_value(("table.csv", table.encode(), "text/csv")).run()
    assert "1 line left out:" in words(app)
    assert "Line 5: The variant is the original itself." in words(app)
    assert "wrong day (imported): 3 variants." in words(app)
    assert app.button(key="stress-go").label == "Run: 3 pairs × 1 perturbation × 1 metric"
    run_to_the_end(app, "Variants of others")
    run = stored(store, "Variants of others")
    assert run.done == run.total == 3 * 2
    assert {key[1] for key in run.variants} == set(run.plan.kinds)
    assert {variant.summary for variant in run.variants.values()} == {
        f"The mill number {number} burned on Friday." for number in range(3)
    }


@pytest.mark.slow
def test_a_kind_with_a_model_of_ones_own_is_typed_and_run(open_page: Open, store: Store, weights: Weights) -> None:
    spec = f"masked-word[checkpoint={weights(masked_roberta)},least=0.0]"
    app = opened(open_page("stress"), "Bundled examples")
    label = "Meaning kept, with a model of this machine"
    app.button_group(key=f"stress-{label} ").set_value(["back-translation"]).run()
    assert "No translation model is named. Write back-translation[there=FOLDER,back=FOLDER]" in words(app)
    app.button_group(key=f"stress-{label} ").set_value([]).run()
    typed = StressState.model_kind.of("Meaning broken").key
    app.text_input(key=typed).set_value("number[most=2]").run()
    assert (
        "'number' is none of the kinds below. Write masked-word with its settings, as masked-word[checkpoint=FOLDER]."
        in words(app)
    )
    app.text_input(key=typed).set_value(spec).run()
    assert not app.exception
    run_to_the_end(app, "own model")
    made = [one for one in stored(store, "own model").variants.values() if one.kind == spec and one.summary]
    assert made
    assert all("|weights:" in one.signature for one in made)


def test_a_broken_line_of_a_file_is_named_and_its_other_pairs_are_run(open_page: Open) -> None:
    app = opened(open_page("stress"), "A file")
    pair = '{"id": "good", "document": "It rained all day in Lindvale.", "summary": "It rained."}\n'
    app.file_uploader(key="stress-file").set_value(("pairs.jsonl", f"{pair}{{broken\n".encode(), "")).run()
    assert "1 line left out:" in words(app)
    assert "Line 2: " in words(app)
    assert app.button(key="stress-go").label.startswith("Run: 1 pair ×")


def test_a_file_that_is_uploaded_is_what_will_run_with_the_number_of_its_pairs_to_which_each_kind_applies(
    open_page: Open,
) -> None:
    app = opened(open_page("stress"), "Bundled examples")
    summaries = ("Orla Voss sold the mill.", "The mill burned on Monday.")
    lines = [json.dumps({"document": DOCUMENT.format(1), "summary": summary}) for summary in summaries]
    app.file_uploader(key="stress-file").set_value(("mine.jsonl", "\n".join(lines).encode(), "")).run()
    assert app.selectbox(key="stress-pairs").value == "A file"
    assert app.button(key="stress-go").label.startswith("Run: 2 pairs ×")
    until = time.monotonic() + RUN_S
    while "Of your 2 pairs: " not in words(app):
        assert time.monotonic() < until
        app.run()
    assert "2 pairs of mine.jsonl." in words(app)


def test_kinds_of_papers_stand_before_noise_of_letters(open_page: Open) -> None:
    app = opened(open_page("stress"), "Bundled examples")
    [rules] = [pills for pills in app.button_group if pills.label == "Meaning kept, by rule"]
    titles = [str(title) for title in rules.options]
    assert titles.index("Replace by synonyms") < titles.index("Repeat words of the summary")
    assert titles.index("Repeat words of the summary") < titles.index("Typing errors")


@pytest.mark.slow
def test_a_demo_keeps_runs_in_memory_and_shows_each_visitor_only_what_is_theirs(
    probe: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DEMO", "true")
    app = opened(probe().switch_page("views/stress.py"), "The pair on Probe")
    assert any("are not kept" in badge.value for badge in app.get("markdown"))
    run_to_the_end(app, "In a demo")
    assert "Complete: 1 pair" in words(app)
    assert store.runs() == []
    # every AppTest is the same session
    monkeypatch.setattr(services, "session_owner", lambda _part="": "another visitor")
    other = probe().switch_page("views/stress.py").run()
    assert [row for row in other.selectbox(key="stress-run").options if "In a demo" in row] == []
