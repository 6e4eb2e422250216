"""The form of a metric's settings, made of nothing but its fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import BadSettingError
from core.registry import Registry
from core.scoring.metric import METRICS, Card, Metric
from core.types import Answer, Example, Question, Score
from pages.ui.probe import metric_choice as module


@dataclass(frozen=True)
class Sample(Metric):
    """A metric with a setting of every type."""

    name: ClassVar[str] = "sample"
    card: ClassVar[Card] = Card("Sample", "Test", "Nothing.", "None", "https://example.org", low=0, high=1)
    path: str = "here"
    mode: Literal["fast", "slow"] = "fast"
    count: int = 1
    share: float = 0.125
    strict: bool = False

    def __post_init__(self) -> None:
        if self.count > 9:
            raise BadSettingError(f"sample: count must be 9 at most; got {self.count}.")

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002
        return Score(0.0)


def opened(*names: str) -> AppTest:
    """A page with the forms of these metrics; what they add stands in the session state."""

    def page(names: tuple[str, ...]) -> None:
        import streamlit as st

        from pages.ui.probe.metric_choice import settings_form

        for name in names:
            settings_form(name, lambda metric: st.session_state.update(added=metric.spec))

    return AppTest.from_function(page, args=(names,), default_timeout=30).run()


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    registry = Registry[Metric]("sample", "core.edits.perturbations")
    registry.add(Sample)
    monkeypatch.setattr(module, "METRICS", registry)
    return opened("sample")


def spelling(app: AppTest) -> str:
    [code] = app.code
    return str(code.value)


def test_every_metric_has_a_form_that_begins_with_its_defaults() -> None:
    names = [name for name in METRICS.names() if module.has_settings(name)]
    app = opened(*names)
    assert not app.exception
    assert [code.value for code in app.code] == names


def test_each_type_of_setting_has_its_control(sample: AppTest) -> None:
    assert sample.text_input(key="set-sample-path").value == "here"
    assert sample.selectbox(key="set-sample-mode").options == ["fast", "slow"]
    assert [sample.number_input(key=f"set-sample-{name}").value for name in ("count", "share")] == [1, 0.125]
    assert sample.toggle(key="set-sample-strict").value is False


def test_what_is_set_is_spelled_as_on_the_command_line_and_added(sample: AppTest) -> None:
    sample.text_input(key="set-sample-path").set_value("a,b")
    sample.selectbox(key="set-sample-mode").set_value("slow")
    sample.number_input(key="set-sample-share").set_value(0.001)
    sample.toggle(key="set-sample-strict").set_value(True).run()
    expected = 'sample[path="a,b",mode=slow,share=0.001,strict=true]'
    assert spelling(sample) == expected
    sample.button(key="add-sample").click().run()
    assert sample.session_state["added"] == expected


def test_a_value_that_changed_with_the_very_click_counts(sample: AppTest) -> None:
    sample.number_input(key="set-sample-count").set_value(7)
    sample.button(key="add-sample").click().run()
    assert sample.session_state["added"] == "sample[count=7]"


def test_a_value_that_cannot_be_is_told_in_the_words_of_the_metric_and_not_added(sample: AppTest) -> None:
    sample.number_input(key="set-sample-count").set_value(10)
    sample.button(key="add-sample").click().run()
    assert "added" not in sample.session_state
    assert "must be 9 at most; got 10" in sample.error[0].value.replace("\\", "")
    assert sample.button(key="add-sample").disabled


def trusting(folder: Path) -> AppTest:
    """The form of a metric that asks to run the code in a folder."""
    app = opened("bespoke-minicheck-7b")
    app.text_input(key="set-bespoke-minicheck-7b-checkpoint").set_value(str(folder))
    app.selectbox(key="set-bespoke-minicheck-7b-through").set_value("transformers")
    return app.toggle(key="set-bespoke-minicheck-7b-trust_remote_code").set_value(True).run()


def test_the_page_cannot_switch_on_code_that_the_machine_does_not_allow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_TRUSTED_REPOS", str(tmp_path / "another"))
    app = trusting(tmp_path)
    assert "nobody allowed that here" in app.error[0].value
    assert app.button(key="add-bespoke-minicheck-7b").disabled


def test_code_that_the_machine_allows_is_added_under_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_TRUSTED_REPOS", str(tmp_path))
    app = trusting(tmp_path)
    assert "runs the code of" in app.warning[0].value
    assert not app.button(key="add-bespoke-minicheck-7b").disabled


def test_the_form_of_a_paper_leaves_only_where_weights_lie_and_is_added_under_its_name() -> None:
    app = opened("factcc")
    app.selectbox(key="paper-factcc").set_value("bump").run()
    assert not app.exception
    assert "claims=whole" in app.caption[0].value.replace("\\", "")
    assert not [box for box in app.selectbox if box.key == "set-factcc-claims"]
    assert spelling(app) == "factcc@bump"
    app.text_input(key="set-factcc-checkpoint").set_value("./weights").run()
    assert spelling(app) == "factcc@bump[checkpoint=./weights]"
    app.button(key="add-factcc").click().run()
    assert app.session_state["added"] == "factcc@bump[checkpoint=./weights]"
