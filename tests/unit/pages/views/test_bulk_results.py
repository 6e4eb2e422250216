"""Evaluate shows how far a bulk run is, and opens its results as a dataset with scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotations.exchange.samples import load_samples
from annotations.people.people import Role, add_person
from annotations.people.sign_in import create_invite, start_session
from annotations.store.store import Store
from core.results.bulk.block_writer import Refusals, write_blocks
from core.results.bulk.folder import Folder
from pages.server import services
from pages.server.sign_in import SESSION_COOKIE
from pages.ui.evaluate import bulk_results
from pages.ui.evaluate.dataset_choice import EvaluateState
from tests.unit.command_line import done

Open = Callable[..., AppTest]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Three pairs, of which one has a summary without words, scored by a metric."""
    pairs = [
        {"id": str(n), "document": "It rained.", "summary": summary}
        for n, summary in enumerate(("It rained.", "It snowed.", "…"))
    ]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
    write_blocks(str(tmp_path / "in.jsonl"), Folder.at(str(tmp_path / "blocks")), Refusals())
    done("score", tmp_path / "blocks", "--to", tmp_path / "harbour", "--metric", "word-novelty", "--device", "cpu")
    return tmp_path / "harbour"


def test_a_folder_of_results_is_followed_and_opened_unless_it_is_too_large(
    results: Path, store: Store, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("evaluate").run(timeout=60)
    for typed, message in (("s3://bucket/results", "is a URL"), (str(results / "no"), "no folder of results")):
        app = app.text_input(EvaluateState.bulk_folder.key).set_value(typed).run(timeout=60)
        assert message in app.error[0].value.replace("\\", "")
    app = app.text_input(EvaluateState.bulk_folder.key).set_value(str(results)).run(timeout=60)
    assert not app.exception
    bars = [bar.proto.text.replace("\\", "") for bar in app.get("progress")]
    assert "word-novelty: 1 of 1 blocks; failed: input 1" in bars
    assert app.text_input(EvaluateState.bulk_name.of(str(results)).key).value == "harbour"
    app = app.button("bulk-open").click().run(timeout=60)
    task = app.session_state["EvaluateState"].bulk_import
    assert task is None or task.wait(60)
    app = app.run(timeout=60).run(timeout=60)
    assert not app.exception
    assert app.multiselect(EvaluateState.datasets.of(1).key).value == ["harbour"]
    kept = {sample.item.example.id: sample.kept[0].value for sample in load_samples(store, "harbour")}
    assert (kept["0"], kept["1"], kept["2"]) == (0.0, 0.5, None)
    assert "harbour: 3 scores saved" in app.success[0].value.replace("\\", "")

    monkeypatch.setattr(bulk_results, "_MAX_PAIRS", 2)
    app = app.run(timeout=60)
    assert f"python cli.py study measures --results {results}" in [block.value for block in app.code]
    assert "bulk-open" not in [button.key for button in app.button]


@pytest.mark.slow
def test_a_shared_server_offers_the_runs_of_one_folder_only(
    results: Path, open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_SHARED", "true")
    with store.writing() as session:
        code = create_invite(session, add_person(session, "Ada", Role.RESEARCHER).id, "boss")
        cookie = start_session(session, code).id
    monkeypatch.setattr(type(st.context), "cookies", {SESSION_COOKIE: cookie})
    app = open_page("evaluate").run(timeout=60)
    assert any("TOUCHSTONE_RESULTS_DIR" in caption.value for caption in app.caption)
    assert EvaluateState.bulk_folder.key not in [field.key for field in app.text_input]

    monkeypatch.setenv("TOUCHSTONE_RESULTS_DIR", str(results.parent))
    st.cache_resource.clear()
    app = open_page("evaluate")
    app.session_state[EvaluateState.bulk_run.key] = f"../{results.parent.name}/harbour"  # which no list offers
    app = app.run(timeout=60)
    assert not app.get("progress")
    assert EvaluateState.bulk_folder.key not in [field.key for field in app.text_input]
    assert app.selectbox(EvaluateState.bulk_run.key).options == ["harbour"]  # the blocks beside it are no results
    app = app.selectbox(EvaluateState.bulk_run.key).set_value("harbour").run(timeout=60)
    assert not app.exception
    assert "1 of 1 blocks" in app.get("progress")[0].proto.text


def test_a_demo_opens_no_folder_of_its_disk(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page("evaluate").run(timeout=60)
    assert EvaluateState.bulk_folder.key in [field.key for field in app.text_input]
    monkeypatch.setenv("TOUCHSTONE_DEMO", "true")
    services.store().close()
    st.cache_resource.clear()
    app = open_page("evaluate").run(timeout=60)
    assert not app.exception
    assert EvaluateState.bulk_folder.key not in [field.key for field in app.text_input]
