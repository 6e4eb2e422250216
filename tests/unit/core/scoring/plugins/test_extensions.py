"""Files and packages join the registries; what is broken is reported, and nothing built in gives way."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from textwrap import dedent

import pytest

from core.edits.perturbation import PERTURBATIONS, Perturbation
from core.errors import UnknownNameError
from core.registry import Registry
from core.scoring.metric import METRICS, Metric
from core.scoring.plugins import extensions
from tests.unit.command_line import run
from tests.unit.core.scoring.plugins.conftest import WriteFile

PACKAGE = {
    "function": """
        import touchstone as ts

        @ts.metric(title="Quotations")
        def my_quotes(document: str, summary: str) -> float:
            return sum(word in document for word in summary.split()) / max(1, len(summary.split()))
    """,
    "metric": """
        from dataclasses import dataclass
        from typing import ClassVar

        import touchstone as ts

        @dataclass(frozen=True)
        class Length(ts.Metric):
            name: ClassVar[str] = "my-length"
            card: ClassVar[ts.Card] = ts.Card("Length", "Surface", "characters", "", "", 0, None, "neutral")
            unit: float = 1.0

            def fold(self, example, questions, answers):
                return ts.Score(len(example.summary) / self.unit)
    """,
    "nameless": """
        from dataclasses import dataclass

        import touchstone as ts

        @dataclass(frozen=True)
        class Nameless(ts.Metric):
            def fold(self, example, questions, answers):
                return ts.Score(1.0)
    """,
    "demanding": """
        from dataclasses import dataclass
        from typing import ClassVar

        import touchstone as ts

        @dataclass(frozen=True)
        class Demanding(ts.Metric):
            name: ClassVar[str] = "demanding"
            k: int

            def fold(self, example, questions, answers):
                return ts.Score(1.0)
    """,
    "taken": """
        from dataclasses import dataclass
        from typing import ClassVar

        import touchstone as ts

        @dataclass(frozen=True)
        class Taken(ts.Metric):
            name: ClassVar[str] = "rouge2"

            def fold(self, example, questions, answers):
                return ts.Score(1.0)
    """,
    "perturbation": """
        from dataclasses import dataclass
        from typing import ClassVar

        import touchstone as ts

        @dataclass(frozen=True)
        class Shout(ts.Perturbation):
            name: ClassVar[str] = "shout"
            card: ClassVar[ts.PerturbationCard] = ts.PerturbationCard("Shout", "preserving", "writes capitals", "")

            def edits(self, example, rng):
                return [ts.Edit(ts.Span(0, len(example.summary)), example.summary.upper())]
    """,
    "exits": "raise SystemExit(4)",
    "syntax": "def broken(:",
    "imports": "import no_such_package",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that is not installed but can be imported, here and in other processes; its name."""
    folder = tmp_path / "their_metrics"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, source in PACKAGE.items():
        (folder / f"{name}.py").write_text(dedent(source), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    importlib.invalidate_caches()
    yield "their_metrics"
    for module in [name for name in sys.modules if name.startswith("their_metrics")]:
        del sys.modules[module]


@pytest.fixture(autouse=True)
def reports(monkeypatch: pytest.MonkeyPatch) -> list[extensions.PluginReport]:
    fresh: list[extensions.PluginReport] = []
    monkeypatch.setattr(extensions, "_reports", fresh)
    return fresh


def metrics(monkeypatch: pytest.MonkeyPatch, *points: str) -> Registry[Metric]:
    """A registry of the built-in metrics and of entry points `name = module:attribute`."""
    return extended(monkeypatch, METRICS, "touchstone.metrics", Metric, points)


def extended(monkeypatch, registry, group, contract, points):  # type: ignore[no-untyped-def]  # one of two registries
    registry.names()
    named = [EntryPoint(*point.split(" = "), group) for point in points]
    monkeypatch.setattr(extensions, "entry_points", lambda group: [one for one in named if one.group == group])
    mine = Registry(registry.what, "core.scoring.metrics", (group,), contract)
    mine._classes = {**registry.listed}
    mine._listed = True
    extensions.extend(mine, (group,), contract)
    return mine


@pytest.mark.slow
def test_a_function_and_a_class_of_a_package_are_metrics(
    package: str, monkeypatch: pytest.MonkeyPatch, reports: list[extensions.PluginReport]
) -> None:
    registry = metrics(
        monkeypatch, f"a = {package}.function:my_quotes", f"b = {package}.metric:Length", f"c = {package}.exits:x"
    )
    assert registry.parse("my-length[unit=2.0]").spec == "my-length[unit=2.0]"
    assert registry.parse("my-quotes").card.title == "Quotations"
    assert [report.names for report in reports] == [("my-quotes",), ("my-length",), ()]
    assert not any(report.error for report in reports[:2])


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("exits:x", "SystemExit: 4."),
        ("syntax:x", "SyntaxError"),
        ("imports:x", "No module named 'no_such_package'"),
        ("metric:Missing", "AttributeError"),
        ("nothing:x", "ModuleNotFoundError"),
        ("function:ts", "which is no frozen dataclass of touchstone.Metric."),
        ("nameless:Nameless", "Nameless of their_metrics.nameless:Nameless has no name"),
        ("demanding:Demanding", "cannot be made without settings"),
        ("taken:Taken", "names a metric 'rouge2', and so does core.scoring.metrics.rouge. Give it another name."),
        ("perturbation:Shout", "which is no frozen dataclass of touchstone.Metric."),
    ],
)
def test_a_broken_package_is_reported_and_leaves_the_others(
    value: str, sentence: str, package: str, monkeypatch: pytest.MonkeyPatch, reports: list[extensions.PluginReport]
) -> None:
    registry = metrics(monkeypatch, f"a = {package}.{value}", f"b = {package}.metric:Length")
    assert "my-length" in registry.names()
    assert registry.get("rouge2").__module__ == "core.scoring.metrics.rouge"
    assert sentence in reports[0].error
    assert reports[0].error.endswith(".")


def test_a_name_that_is_missing_comes_with_the_reason(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = metrics(monkeypatch, f"a = {package}.imports:x")
    with pytest.raises(
        UnknownNameError, match=r"No metric is named 'not-there'.*Plug-ins that are missing: .*no_such_package"
    ):
        registry.get("not-there")


def test_a_package_brings_perturbations(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = extended(
        *(monkeypatch, PERTURBATIONS, "touchstone.perturbations", Perturbation, [f"a = {package}.perturbation:Shout"])
    )
    assert registry.parse("shout").card.title == "Shout"


@pytest.mark.slow
def test_functions_of_two_files_with_one_name_are_told_apart(
    write: WriteFile, monkeypatch: pytest.MonkeyPatch, reports: list[extensions.PluginReport]
) -> None:
    files = [write("@ts.metric\ndef same(a, b): return 1 / (1 + len(b))", name) for name in ("one.py", "two.py")]
    files.append(write("@ts.metric(name='rouge2')\ndef taken(a, b): return 1 / (1 + len(b))", "three.py"))
    monkeypatch.setenv("TOUCHSTONE_PLUGINS", ",".join(files))
    registry = metrics(monkeypatch)
    assert "same" in registry.names()
    assert registry.get("rouge2").__module__ == "core.scoring.metrics.rouge"
    assert [report.names for report in reports] == [("same",), (), ()]
    assert reports[1].error.startswith("two.py names a metric 'same', and so does")
    assert reports[2].error.startswith("three.py names a metric 'rouge2', and so does core.scoring.metrics.rouge.")


def test_the_command_lists_what_is_loaded_and_what_is_wrong(write: WriteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [write("@ts.metric\ndef same(a, b): return 1"), write("1 / 0", "broken.py")]
    monkeypatch.setenv("TOUCHSTONE_PLUGINS", ",".join(files))
    metrics(monkeypatch)
    listed = run("plugins")
    assert listed.exit_code == 1
    lines = listed.stdout.splitlines()
    assert lines[0] == f"file  {files[0]}"
    assert lines[1].startswith("  adds same (")
    assert lines[2] == "  ! same: It scores 1 for every one of 20 bundled texts: a constant tells none apart."
    assert lines[3:6] == [
        f"file  {files[1]}",
        "  adds nothing",
        "  ! broken.py does not load. ZeroDivisionError: division by zero (broken.py, line 3).",
    ]


def test_a_table_that_another_process_saves_is_a_metric_at_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions, "_reports", [])
    registry: Registry[Metric] = Registry("metric", "core.scoring.metrics", (), Metric)
    extensions.add_new_tables(registry, tmp_path)
    assert "their-score" not in registry.names()
    (tmp_path / "their-score.toml").write_text('[their-score]\nurl = "http://127.0.0.1:9/score"\n', encoding="utf-8")
    (tmp_path / "broken.toml").write_text("[broken", encoding="utf-8")
    for _ in range(2):
        extensions.add_new_tables(registry, tmp_path)
    assert "their-score" in registry.names()
    broken, added = extensions.plugin_reports()
    assert (broken.error.startswith("broken.toml is no TOML"), added.names) == (True, ("their-score",))
