"""Evaluate, Data: a dataset is pushed from the page, and what keeps it from being pushed is said before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.types import Example, Item, Verdict
from pages.ui.shared.push_form import pushes
from tests.doubles.upload_hub import UploadHub

Open = Callable[..., AppTest]
ITEM = Item(Example("t1", "The tug was sold.", "The tug sank."), intended=Verdict.INCONSISTENT, group="tug")
_RUNS = 200


def opened(open_page: Open, store: Store, licence: str) -> AppTest:
    source = DatasetSource("tugs", "pairs", "tugs.jsonl", "ab" * 32, licence, "1.0", "ada")
    store.import_dataset(source, [ITEM], dict)
    app = open_page("evaluate")
    app.query_params["dataset"] = "tugs"
    app.session_state["evaluate-tabs-4"] = "Data"  # of those without a score
    app.session_state["export-tugs"] = True
    for _ in range(_RUNS):  # the samples are read in the background
        app.run(timeout=60)
        assert not app.exception
        if any(field.key == "push-name-dataset-tugs" for field in app.text_input):
            break
    app.text_input(key="push-name-dataset-tugs").set_value("owner/tugs").run()
    return app


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # of huggingface_hub's own upload
def test_a_dataset_is_pushed_when_its_licence_is_stated(open_page: Open, store: Store, upload_hub: UploadHub) -> None:
    app = opened(open_page, store, "your own")
    assert app.button(key="push-dataset-tugs").disabled
    assert any("Nobody has stated a licence" in line.value for line in app.info)
    app.text_input(key="export-licence-tugs").set_value("cc0-1.0").run()
    app.button(key="push-dataset-tugs").click().run()
    pushes()["dataset-tugs"].wait(60)
    app.run()
    assert not app.exception
    assert [line.value.split(" http")[0] for line in app.success] == ["Pushed to"]
    assert upload_hub.repositories["owner/tugs"].keys() == {"README.md", "items.parquet"}
    assert upload_hub.private["owner/tugs"]


def test_texts_that_may_not_be_shared_have_no_button_to_press(open_page: Open, store: Store) -> None:
    app = opened(open_page, store, "CC-BY-ND-4.0")
    assert app.button(key="push-dataset-tugs").disabled
    assert any("forbids to share it in another form" in line.value for line in app.info)
    app.text_input(key="export-licence-tugs").set_value("mit").run()
    assert any("came under" in line.value for line in app.error)
    assert "push-dataset-tugs" not in {button.key for button in app.button}
