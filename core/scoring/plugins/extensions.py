"""Plug-ins from outside, added to the registries: files of the settings, and entry points of installed packages.

A registry calls `extend` after it has imported its own folder. What does not load is reported, and stops nothing.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import Lock
from typing import Any

from core.errors import PluginError, Problem, attempt
from core.registry import Registry
from core.scoring.plugins.checkpoints.checkpoint_file import checkpoint_classes
from core.scoring.plugins.combination_file import combination_classes
from core.scoring.plugins.combination_metric import CombinationMetric
from core.scoring.plugins.declaration import ATTRIBUTE, Declaration
from core.scoring.plugins.processes.loading import LoadedPlugin, load_plugin
from core.scoring.plugins.service_metric import service_classes
from core.scoring.plugins.source import source_title
from core.settings import Settings

METRIC_GROUP = "touchstone.metrics"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PluginReport:
    """One plug-in: where it comes from, what it adds under which names, why it does not load, and remarks on it.

    `group` is that of the entry point, "file" for a Python file, "table" for a file of services, checkpoints and combinations. `source` is the path, or module and name. `version` is that of its package.
    `memory` is the most that its process took on the bundled pairs, in bytes.
    """

    group: str
    source: str
    version: str = ""
    names: tuple[str, ...] = ()
    error: str = ""
    remarks: tuple[str, ...] = ()
    memory: int = 0


_reports: list[PluginReport] = []
_ADDING = Lock()


def plugin_reports() -> list[PluginReport]:
    """Reports on the plug-ins of the registries that were asked for a name so far."""
    return list(_reports)


def missing_note() -> str:
    """A sentence on the plug-ins that did not load; "" where all did."""
    problems = [report.error for report in _reports if report.error]
    return f"Plug-ins that are missing: {' '.join(problems)}" if problems else ""


def extend(registry: Registry[Any], groups: Sequence[str], contract: type[object]) -> None:
    """Add the plug-ins of these groups of entry points, and to the metrics those of files, to a registry.

    The log has a line for each that does not load, which commands print.
    """
    before = len(_reports)
    if METRIC_GROUP in groups:
        settings = Settings.read()
        tables = settings.table_files
        _reports.extend([_add_tables(registry, file) for file in tables])
        files = [file for file in settings.plugin_files if file not in tables]
        if files:
            with ThreadPoolExecutor(len(files)) as pool:  # each waits for a process
                loaded = pool.map(lambda file: attempt(partial(load_plugin, file, settings)), files)
                _reports.extend(
                    [_add_functions(registry, "file", file, plugin) for file, plugin in zip(files, loaded, strict=True)]
                )
    for group in groups:
        by_name = sorted(entry_points(group=group), key=lambda point: point.name)
        points = {point.value: point for point in by_name}  # a package that is installed twice names it twice
        _reports.extend([_add_entry_point(registry, group, point, contract) for point in points.values()])
    if METRIC_GROUP in groups:
        _reports[:] = _without_broken_combinations(registry, _reports)
    for report in _reports[before:]:
        if report.error:
            _LOG.warning(" ".join(report.error.split()))


def add_new_tables(registry: Registry[Any], folder: Path) -> None:
    """Add the metrics of files that another process has put into the folder since this one read it."""
    registry.names()  # reads those that are there before any other
    with _ADDING:
        sources = {report.source for report in _reports}
        for file in sorted(map(str, folder.resolve().glob("[!.]*.toml"))):
            if file not in sources and Path(file).stem not in registry.listed:
                _reports.append(_add_tables(registry, file))
                _reports[:] = _without_broken_combinations(registry, _reports)


def _add_entry_point(registry: Registry[Any], group: str, point: EntryPoint, contract: type[object]) -> PluginReport:
    version = f"{point.dist.name} {point.dist.version}" if point.dist else ""
    name = version or point.value
    plugin = attempt(partial(_call, point.load, f"{name} does not load"))
    if isinstance(plugin, Problem):
        return PluginReport(group, point.value, version, error=plugin.error)
    declaration = getattr(plugin, ATTRIBUTE, None)
    if group == METRIC_GROUP and isinstance(declaration, Declaration):
        loaded = attempt(partial(load_plugin, declaration.module, Settings.read()))
        return dataclasses.replace(
            _add_functions(registry, group, point.value, loaded, declaration.name), version=version
        )
    added = attempt(partial(_add_class, registry, plugin, contract, point.value))
    if isinstance(added, Problem):
        return PluginReport(group, point.value, version, error=added.error)
    return PluginReport(group, point.value, version, (added,))


def _without_broken_combinations(registry: Registry[Any], reports: Sequence[PluginReport]) -> list[PluginReport]:
    """The reports after combinations are taken out whose members are not all there, which only shows once every plug-in is added."""
    checked = list(reports)
    while problems := _combination_problems(registry):  # what is taken out may be the member of another
        for name, message in problems.items():
            registry.remove(name)
            checked = [
                dataclasses.replace(
                    report,
                    names=tuple(other for other in report.names if other != name),
                    error=f"{report.error} {name} is left out. {message}".strip(),
                )
                if report.group == "table" and name in report.names
                else report
                for report in checked
            ]
    return checked


def _combination_problems(registry: Registry[Any]) -> dict[str, str]:
    """By name, what is wrong with the members of combinations."""
    outcomes = {
        name: attempt(made().checkpoints)
        for name, made in registry.listed.items()
        if issubclass(made, CombinationMetric)
    }
    return {name: outcome.error for name, outcome in outcomes.items() if isinstance(outcome, Problem)}


def _call(function: Callable[[], Any], failure: str) -> Any:
    """Result of a function of a package; raises PluginError for whatever that raises."""
    try:
        return function()
    except (Exception, SystemExit) as error:
        raise PluginError(f"{failure}. {type(error).__name__}: {error}".rstrip(".") + ".") from error


def _add_tables(registry: Registry[Any], file: str) -> PluginReport:
    """Add the services, checkpoints and combinations of a file; those whose name is taken are left out."""
    classes = attempt(lambda: [*service_classes(file), *checkpoint_classes(file), *combination_classes(file)])
    if isinstance(classes, Problem):
        return PluginReport("table", file, error=classes.error)
    names, problems = [], []
    for metric in classes:
        added = attempt(partial(_add, registry, metric, source_title(file)))
        if isinstance(added, Problem):
            problems.append(added.error)
        else:
            names.append(metric.name)
    return PluginReport("table", file, "", tuple(names), " ".join(problems))


def _add_functions(
    registry: Registry[Any], group: str, source: str, loaded: LoadedPlugin | Problem, only: str = ""
) -> PluginReport:
    """Add the functions of a plug-in, or the one of that name; those whose name is taken are left out."""
    if isinstance(loaded, Problem):
        return PluginReport(group, source, error=loaded.error)
    names, remarks, problems = [], [], []
    for metric in loaded.metrics:
        if only and metric.name != only:
            continue
        added = attempt(partial(_add, registry, metric, source_title(source)))
        if isinstance(added, Problem):
            problems.append(added.error)
        else:
            names.append(metric.name)
            remarks += [f"{metric.name}: {remark}" for remark in loaded.remarks[metric.name]]
    return PluginReport(group, source, "", tuple(names), " ".join(problems), tuple(remarks), loaded.memory)


def _add_class(registry: Registry[Any], plugin: Any, contract: type[object], source: str) -> str:
    """Add a class of a package; raises PluginError for one that does not fulfil the contract."""
    if not (isinstance(plugin, type) and issubclass(plugin, contract) and dataclasses.is_dataclass(plugin)):
        raise PluginError(
            f"{source} gives {plugin!r:.80}, which is no frozen dataclass of touchstone.{contract.__name__}."
        )
    name = getattr(plugin, "name", None)
    if not isinstance(name, str):
        raise PluginError(f'{plugin.__name__} of {source} has no name: write name: ClassVar[str] = "my-name".')
    _call(plugin, f"{plugin.__name__} of {source} cannot be made without settings: give each field a default")
    _add(registry, plugin, source)
    return name


def _add(registry: Registry[Any], plugin: Any, source: str) -> None:
    taken = registry.listed.get(plugin.name)
    if taken is not None:
        raise PluginError(
            f"{source} names a {registry.what} {plugin.name!r}, and so does {taken.__module__}. Give it another name."
        )
    registry.add(plugin)
