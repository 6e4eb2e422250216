"""What the tables of documents are made of: plugins, commands, settings, Python names, the HTTP API, the formats of files."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cli
import touchstone
from annotations.exchange.export_format import EXPORT_FORMATS
from annotations.management.webhooks import EVENTS
from core.assessment.catalog.metric_catalog import list_metrics, metrics_markdown
from core.data.dataset import DATASETS
from core.edits.perturbation import PERTURBATIONS
from core.evaluation.reports.report_files import FORMS
from core.evaluation.study import STUDIES, Outlet, setting_help
from core.models.model_pool import ModelPool
from core.registry import settings_of
from core.scoring.checkpoint_languages import STATED_LANGUAGES
from core.scoring.metric import METRICS
from core.settings import Settings
from core.stats.text_tables import markdown_table
from pages.server.api_routes import OPERATIONS
from pages.server.routes import page_names, route_rules
from pages.ui.lessons import read_lessons
from tests.field_docs import field_docs
from tests.reference_layers import imports_table
from tests.reference_limits import limits_list, server_limits_table
from tests.reference_points import points_markdown
from tests.reference_sentences import headline_rows

ROOT = Path(__file__).parents[1]
_DECISIONS = ROOT / "docs" / "develop" / "decisions"
_FORMER = "The former name of"


def _table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    return markdown_table([*head], [[*line] for line in lines]).rstrip()


def _link(text: str, url: str) -> str:
    return f"[{text}]({url})" if url else text


def _settings_text(plugin: Any) -> str:
    """Settings of a plugin with their defaults, as they are typed."""
    return ", ".join(f"`{name}={_typed(field.default)}`" for name, field in settings_of(plugin).items())


def _typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _metrics() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return metrics_markdown(list_metrics(ModelPool("cpu", None, Path(folder))))


def _metric_settings() -> str:
    """What each metric measures, and its settings."""
    metrics = [METRICS.get(name) for name in METRICS.names()]
    return _table(
        ("metric", "measures", "settings with their defaults"),
        ((f"`{metric.name}`", metric.card.measures, _settings_text(metric)) for metric in metrics),
    )


def _weight_languages() -> str:
    """Languages of published weights: their codes, or their number where there are many."""
    rows = (
        (
            f"`{checkpoint}`",
            stated.languages if len(codes := stated.languages.split()) < 30 else f"{len(codes)} languages",
            stated.place,
        )
        for checkpoint, stated in sorted(STATED_LANGUAGES.items())
    )
    return _table(("weights", "languages", "stated in"), rows)


def _perturbations() -> str:
    lines = []
    for name in PERTURBATIONS.names():
        kind = PERTURBATIONS.get(name)
        error = kind.card.error_type.value if kind.card.error_type else ""
        lines.append((f"`{name}`", kind.card.intent, error, kind.card.form, kind.card.does, _settings_text(kind)))
    return _table(("kind", "intent", "error type", "by", "does", "settings with their defaults"), lines)


def _datasets() -> str:
    lines = []
    for name in DATASETS.names():
        importer = DATASETS.get(name)
        hub = f"https://huggingface.co/datasets/{importer.hub}" if importer.hub else ""
        source = importer.url or hub
        where = "comes with Touchstone" if importer.shipped else _link(source.removeprefix("https://"), source)
        lines.append((f"`{name}`", importer.title, importer.licence, importer.release, where, _settings_text(importer)))
    return _table(("importer", "title", "licence", "release", "where", "settings with their defaults"), lines)


_OUTLETS: tuple[Outlet, ...] = ("page", "audit", "pack")
"""Outlets that a study may be without; a command and a call in Python all have."""


def _studies() -> str:
    """Every study with what it does and its outlets; for each that it does not have the reason."""
    lines = []
    for study in STUDIES:
        reasons = [study.without.get(outlet, "yes") for outlet in _OUTLETS]
        lines.append((f"`{study.name}`", study.group, study.does, *reasons))
    return _table(("study", "group", "does", *_OUTLETS), lines)


def _study_settings() -> str:
    lines = [
        (
            f"`{study.name}`",
            f"`{name}`",
            f"`{_typed(field.default)}`" if field.default != "" else "",
            setting_help(field),
        )
        for study in STUDIES
        for name, field in settings_of(study).items()
    ]
    return _table(("study", "setting", "default", "what it sets"), lines)


def _commands() -> str:
    """Every command by group: what it does, its arguments and options, and an example."""
    parts = []
    for group in cli.GROUPS.values():
        parts.append(f"## {group}")
        for name, unloaded in cli.app_commands().items():
            if unloaded.rich_help_panel != group:
                continue
            command = cli.load_command(name)
            parts += [
                f"### {name}",
                " ".join(str(command.help).split()),
                f"```\n{command.epilog.split('  ', 1)[1]}\n```",
            ]
            options = [_option_line(one) for one in command.params if not one.hidden and one.name != "help"]
            if options:
                parts.append(_table(("argument or option", "what it sets"), options))
    return "\n\n".join(parts)


def _option_line(parameter: Any) -> tuple[str, str]:
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    shown = isinstance(default, (str, int, float)) and not isinstance(default, bool) and default != ""
    required = (
        " Required." if parameter.required else f" By default `{default}`." if shown and parameter.show_default else ""
    )
    return names, f"{' '.join((parameter.help or '').split())}{required}".strip()


def _settings() -> str:
    """Every variable with its default; former names are left out."""
    lines = []
    descriptions = field_docs(Settings)
    for name, field in Settings.model_fields.items():
        description = descriptions[name]
        if _FORMER not in description:
            lines.append((f"`TOUCHSTONE_{name.upper()}`", _default_setting(name, field.default), description))
    return _table(("variable", "default", "what it sets"), lines)


def _default_setting(name: str, default: object) -> str:
    if name == "llm_api_key" or default in ("", None):
        return "none"
    text = str(int(default) if isinstance(default, bool) else default)
    return f"`{text.replace(str(ROOT / 'var'), 'var')}`"


def _python() -> str:
    """Every name of `import touchstone` with its signature and its docstring, and the lines under its fields."""
    parts = []
    for name in touchstone.__all__:
        one = getattr(touchstone, name)
        signature = str(inspect.signature(one)) if inspect.isfunction(one) else ""
        fields = field_docs(one) if inspect.isclass(one) else {}
        parts += [
            f"### {name}",
            *([f"```\ntouchstone.{name}{signature}\n```"] if signature else []),
            inspect.getdoc(one) or "",
            *(["\n".join(f"- `{field}`: {text}" for field, text in fields.items())] if fields else []),
        ]
    return "\n\n".join(parts)


def _http_api() -> str:
    """Every request that the API answers, with what the method behind it says."""
    lines = []
    for one in OPERATIONS:
        sent = (
            f"{one.body.__name__.removesuffix('Body')}: {', '.join(f'`{name}`' for name in one.body.model_fields)}"
            if one.body
            else ""
        )
        path = one.path.replace("{id}", "ID")
        lines.append((f"`{one.method} /api/v1/{path}`", one.about, sent or ("`after`, `limit`" if one.rows else "")))
    return _table(("request", "answers", "parameters or body"), lines)


def _routes() -> str:
    """Every address that is open, with who may ask and the most that a request may take; pages as one line."""
    pages = {f"{name}{end}" for name in page_names() for end in ("", "/")}
    rules = [rule for rule in route_rules() if rule.who != "nobody" and rule.path not in pages]
    lines = [
        (
            f"`{', '.join(rule.methods) if len(rule.methods) < 3 else 'any method'} /{rule.path}`",
            rule.purpose,
            rule.who,
            "none" if not rule.most_bytes else _size(rule.most_bytes),
            f"{rule.per_minute:,}",
            f"{rule.at_once}",
            f"{rule.seconds:g} s" if rule.seconds else "open",
        )
        for rule in rules
    ]
    closed = sorted({f"`/{rule.path}`" for rule in route_rules() if rule.who == "nobody" and not _is_open(rule.path)})
    head = ("request", "for", "who", "body", "a minute", "at once", "time")
    return (
        f"{_table(head, lines)}\n\nThe addresses of pages (`/{', /'.join(page_names())}`) are as `/`. Closed, though Streamlit has "
        f"them: {', '.join(closed)}. Every other address is refused."
    )


def _is_open(path: str) -> bool:
    return any(rule.path == path and rule.who != "nobody" for rule in route_rules())


def _size(size: int) -> str:
    return f"{size / 2**20:.3g} MB" if size >= 2**20 else f"{size} bytes"


def _webhook_events() -> str:
    """Every event that a webhook is sent."""
    return _table(("event", "when"), [(f"`{name}`", about) for name, about in EVENTS.items()])


def _export_formats() -> str:
    formats = [EXPORT_FORMATS.get(name) for name in EXPORT_FORMATS.names()]
    return _table(
        ("format", "ending", "what it is"), ((f"`{one.name}`", f"`{one.suffix}`", one.about) for one in formats)
    )


def _report_forms() -> str:
    return _table(("ending", "what it is"), ((f"`{ending}`", _FORM_NAMES[ending]) for ending in FORMS))


_FORM_NAMES: Mapping[str, str] = MappingProxyType(
    {
        ".json": "the whole report: tables, charts, sentences, settings and data",
        ".csv": "a file for each table",
        ".html": "one file without network",
        ".tex": "the tables, for the package booktabs",
        ".md": "the tables and sentences as Markdown",
        ".txt": "as the terminal prints it",
        ".svg": "a file for each chart",
        ".pdf": "a file for each chart",
    }
)


_WINGS = (
    "Core and base",
    "Text",
    "Statistics",
    "Data",
    "Models",
    "Scoring",
    "Edits",
    "Results",
    "Evaluation",
    "Assessment",
    "Annotations",
    "Pages",
    "Tests and CI",
)
"""Parts of the project in the order of the index; the line below a decision's title ends with one of them."""


def _decisions() -> str:
    """A table of decisions for each part of the project that has some."""
    rows: dict[str, list[tuple[str, str, str]]] = {wing: [] for wing in _WINGS}
    for file in sorted(_DECISIONS.glob("[0-9]*.md")):
        heading, _, line, *_ = file.read_text(encoding="utf-8").splitlines()
        number, _, title = heading.removeprefix("# ").partition(". ")
        date, _, wing = line.partition(" · ")
        rows[wing].append((number, f"[{title}]({file.name})", date))
    return "\n\n".join(
        f"### {wing}\n\n{_table(('', 'decision', 'date'), lines)}" for wing, lines in rows.items() if lines
    )


def _lessons() -> str:
    lines = ((lesson.title, lesson.about, f"`?lesson={name}`") for name, lesson in read_lessons().items())
    return _table(("lesson", "what one does", "address"), lines)


TABLES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "commands": _commands,
        "datasets": _datasets,
        "decisions": _decisions,
        "export-formats": _export_formats,
        "headlines": lambda: _table(["where", "said when", "sentence"], headline_rows()),
        "http-api": _http_api,
        "imports": imports_table,
        "lessons": _lessons,
        "limits": limits_list,
        "metric-settings": _metric_settings,
        "metrics": _metrics,
        "paper-points": points_markdown,
        "perturbations": _perturbations,
        "python": _python,
        "report-forms": _report_forms,
        "routes": _routes,
        "server-limits": server_limits_table,
        "settings": _settings,
        "studies": _studies,
        "study-settings": _study_settings,
        "webhook-events": _webhook_events,
        "weight-languages": _weight_languages,
    }
)
"""What makes each table, by the name between its marks."""
