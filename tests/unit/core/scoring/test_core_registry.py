"""Plugins are found by being there, built from a spelling, and spelt so that they are built again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import ClassVar, Literal

import pytest
from hypothesis import given, strategies

from core.errors import BadSettingError, UnknownNameError
from core.registry import Registry, choices_of, format_spec, read_settings, settings_of, types_of
from core.scoring.metric import METRICS

INIT = """
from core.registry import Registry
PLUGINS = Registry("plugin", "dropped")
"""
PLUGIN = """
from dataclasses import dataclass
from typing import ClassVar
from dropped import PLUGINS

@PLUGINS.add
@dataclass(frozen=True)
class {title}:
    name: ClassVar[str] = "{name}"
    size: int = 3
"""


@dataclass(frozen=True)
class Sample:
    """A plugin with a setting of every type."""

    name: ClassVar[str] = "sample"
    path: str = "here"
    mode: Literal["fast", "slow"] = "fast"
    count: int = 1
    share: float = 0.5
    strict: bool = False


def filled() -> Registry[Sample]:
    registry = Registry[Sample]("sample", "core.edits.perturbations")
    registry.add(Sample)
    return registry


@pytest.fixture
def samples() -> Registry[Sample]:
    return filled()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package for plugins that is empty as yet."""
    package = tmp_path / "dropped"
    package.mkdir()
    (package / "__init__.py").write_text(INIT)
    monkeypatch.syspath_prepend(tmp_path)
    yield package
    for name in [name for name in sys.modules if name.split(".")[0] == "dropped"]:
        del sys.modules[name]


def drop(folder: Path, name: str, file: str = "") -> None:
    (folder / f"{file or name}.py").write_text(PLUGIN.format(name=name, title=name.title()))


def opened(folder: Path) -> ModuleType:
    return __import__(folder.name)


def test_a_plugin_is_found_by_being_one_file_in_the_folder(folder: Path) -> None:
    drop(folder, "thing")
    plugins = opened(folder).PLUGINS
    assert plugins.names() == ["thing"]
    assert format_spec(plugins.parse("thing[size=4]")) == "thing[size=4]"


def test_plugins_are_listed_by_name(folder: Path) -> None:
    for name in ("pear", "apple", "fig"):
        drop(folder, name)
    assert [plugin.name for plugin in opened(folder).PLUGINS] == ["apple", "fig", "pear"]


def test_nothing_is_imported_before_the_first_question(folder: Path) -> None:
    drop(folder, "thing")
    plugins = opened(folder).PLUGINS
    assert "dropped.thing" not in sys.modules
    assert "thing" in plugins.names()
    assert "dropped.thing" in sys.modules


def test_two_plugins_of_one_name_are_refused_with_both_modules(folder: Path) -> None:
    drop(folder, "thing")
    drop(folder, "thing", file="twin")
    with pytest.raises(ValueError, match=r"Two plugins are named 'thing': dropped\.thing and dropped\.twin"):
        opened(folder).PLUGINS.names()


@pytest.mark.parametrize("spec", ["sample", " sample ", "sample[]"])
def test_a_name_alone_gives_the_defaults(samples: Registry[Sample], spec: str) -> None:
    assert samples.parse(spec) == Sample()


def test_settings_are_read_as_their_types(samples: Registry[Sample]) -> None:
    built = samples.parse("sample[path=there, mode=slow,count=-2,share=1e-3,strict=TRUE]")
    assert built == Sample("there", "slow", -2, 0.001, True)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("sample[path=a=b]", "a=b"),
        ('sample[path="a,b]"]', "a,b]"),
        ("sample[path=other[x=1,y=2]]", "other[x=1,y=2]"),
        ("sample[path=a[b[c,d],e],count=1]", "a[b[c,d],e]"),
        ('sample[path="he said ""no"""]', 'he said "no"'),
        ("sample[path=]", ""),
    ],
)
def test_brackets_and_quotes_belong_to_the_value(samples: Registry[Sample], spec: str, path: str) -> None:
    assert samples.parse(spec) == Sample(path)


def test_a_default_is_spelt_by_its_name_alone() -> None:
    assert format_spec(Sample()) == "sample"


def test_only_what_differs_from_the_default_is_spelt() -> None:
    assert format_spec(Sample(count=2, strict=True)) == "sample[count=2,strict=true]"


def test_a_nested_spec_is_spelt_without_quotes() -> None:
    assert format_spec(Sample("other[x=1,y=2]")) == "sample[path=other[x=1,y=2]]"


@given(
    strategies.builds(
        Sample,
        path=strategies.text('ab,[]"= \\\n😀/', max_size=8),
        mode=strategies.sampled_from(["fast", "slow"]),
        count=strategies.integers(-3, 3),
        share=strategies.floats(0, 1),
        strict=strategies.booleans(),
    )
)
def test_a_spelling_is_read_back_to_an_equal_plugin(plugin: Sample) -> None:
    assert filled().parse(format_spec(plugin)) == plugin


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("smaple", "No sample is named 'smaple'. Did you mean 'sample'? Known: sample."),
        ("zzz", "No sample is named 'zzz'. Known: sample."),
        ("sample[cuont=1]", "No setting of sample is named 'cuont'. Did you mean 'count'?"),
    ],
)
def test_an_unknown_name_is_answered_by_what_there_is(samples: Registry[Sample], spec: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        samples.parse(spec)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("sample[count=1", "'sample[count=1' opens a bracket and does not close it. Write sample[setting=value]."),
        ("sample[count]", "'count' in 'sample[count]' is not of the form setting=value."),
        ("sample[count=one]", "sample[count=…] must be a whole number; got 'one'."),
        ("sample[count=1.5]", "sample[count=…] must be a whole number; got '1.5'."),
        ("sample[share=half]", "sample[share=…] must be a number; got 'half'."),
        ("sample[strict=yes]", "sample[strict=…] must be true or false; got 'yes'."),
        ("sample[mode=medium]", "sample[mode=…] must be one of fast, slow; got 'medium'."),
    ],
)
def test_a_value_that_cannot_be_read_is_named(samples: Registry[Sample], spec: str, message: str) -> None:
    with pytest.raises(BadSettingError) as error:
        samples.parse(spec)
    assert str(error.value) == message


def test_the_settings_of_a_plugin_are_its_fields() -> None:
    assert list(settings_of(Sample)) == ["path", "mode", "count", "share", "strict"]
    assert read_settings(Sample, {"share": "2"}) == {"share": 2.0}


def test_the_metrics_of_the_project_are_found() -> None:
    assert {"rouge2", "bleu", "minicheck-roberta", "semantic-similarity"} <= set(METRICS.names())


def test_a_setting_tells_its_type_and_its_choices() -> None:
    types = types_of(Sample)
    assert [types[name] for name in ("path", "count", "share", "strict")] == [str, int, float, bool]
    assert {name: choices_of(hint) for name, hint in types.items() if choices_of(hint)} == {"mode": ("fast", "slow")}


def test_a_plugin_is_built_from_values_and_refuses_those_it_cannot_take() -> None:
    assert METRICS.build("rouge2", {"stemmer": False}).spec == "rouge2[stemmer=false]"
    with pytest.raises(BadSettingError, match="512 to 32768; got 1"):
        METRICS.build("bespoke-minicheck-7b", {"max_tokens": 1})
