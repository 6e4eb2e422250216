"""The layout of design section 4, and imports that go one way."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from tests.sources import ENTRIES, FILES, PACKAGES, ROOT, SHIPPED, listed, name_of, nodes, text

PAGES = sorted((ROOT / "pages" / "views").glob("*.py"))
SCRIPTS = sorted((ROOT / "pages" / "ui" / "assets").glob("*.js"))
LONGEST_PAGE = 120
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "base"}
CONTRACTS = ("scoring/metric", "scoring/claim", "scoring/nli_check", "edits/perturbation", "data/dataset")
UNSAFE = (
    *("unsafe_allow_html", "unsafe_allow_javascript", "dangerouslySetInnerHTML"),
    *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "srcdoc"),
)

ONLY_IN = {
    "torch": "core/models core/models/weights/weights.py core/assessment/integrations/torchmetrics_metric.py",
    "transformers": "core/models",
    "tokenizers": "core/models",
    "safetensors": "core/models core/models/weights/weights.py",
    "huggingface_hub": "core/models core/models/weights",
    "sentence_transformers": "core/models",
    "openai": "core/models/llm",
    "torchmetrics": "core/assessment/integrations/torchmetrics_metric.py",
    "evaluate": "core/assessment/integrations/evaluate_metric.py",
    "inspect_ai": "core/assessment/integrations/inspect_scorer.py core/scoring/frameworks/inspect_scorers.py touchstone.py",
    "autoevals": "core/scoring/frameworks/autoevals_scorers.py core/assessment/integrations/autoevals_scorer.py",
    "deepeval": "core/scoring/frameworks/deepeval_scorers.py core/assessment/integrations/deepeval_metric.py",
    "mlflow": "core/assessment/integrations/mlflow_scorer.py touchstone.py",
    "phoenix": "core/scoring/frameworks/phoenix_scorers.py",
    "ragas": "core/scoring/frameworks/ragas_scorers.py core/assessment/integrations/ragas_metric.py",
    "trulens": "core/scoring/frameworks/trulens_scorers.py",
    "sqlmodel": "annotations",
    "sqlalchemy": "annotations",
    "alembic": "annotations",
    "streamlit": "pages/ui/ pages/server/ pages/views/ pages/main.py app.py",
    "plotly": "pages/ui/ pages/views/",
    "matplotlib": "core/assessment/papers core/evaluation/reports/figures.py",
    "typer": "pages/commands/ pages/commands/shared/ cli.py",
    "rich": "pages/commands/shared/",
}
"""Where a library may be imported, and nowhere else."""

OURS = {
    "core": {"core"},
    "annotations": {
        *("annotations", "core.types", "core.errors", "core.registry", "core.text", "core.stats"),
        *("core.base.files.archive", "core.base.hub_licences"),  # export formats, and the card of an export
        *("core.base.signatures", "core.base.code_version"),  # what a score was made by
        "core.base.http.addresses",  # of webhooks
        "core.scoring.outcome_records",  # as they are read again
        *(
            "core.data.dataset",
            "core.data.dataset_versions",
            "core.data.datasets.bundled",
        ),  # a dataset beside those of the database
        "core.data.datasets.formats.exported_files",  # what an export states for its own import
        "core.results.cases.bundled_scores",
        "core.evaluation.training.benchmarks",  # the documents that no metric learns from
    },
    "pages": {
        *("pages.ui", "pages.server", "pages.sources", "pages.commands.shared", "core", "annotations"),
        "touchstone",  # whose functions are the tools of agents
    },
    "cli.py": {"core", "pages.commands"},
    "app.py": {"pages.server", "pages.ui.shared.script_errors"},
    "touchstone.py": {"core", "cli", "annotations"},
}
"""What of ours a package may import."""


WINGS = sorted(path.parent.name for path in (ROOT / "core").glob("*/__init__.py"))


@cache
def face(wing: str) -> dict[str, str]:
    """The names that a wing gives to others, each with the module that defines it."""
    return {
        alias.name: f"{node.module}.{alias.name}"
        for node in nodes(ROOT / "core" / wing / "__init__.py")
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("core.")
        for alias in node.names
    }


@cache
def imports(path: Path) -> frozenset[str]:
    """The full names of what a file imports, wherever in it: of `from a import b` `a.b`, of a wing's name where it is defined."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            given = face(module.removeprefix("core.")) if module.removeprefix("core.") in WINGS else {}
            names |= {given.get(alias.name, f"{module}.{alias.name}") for alias in node.names}
    return frozenset(names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_an_import_gives_the_whole_name() -> None:
    relative = [
        f"{name_of(path)}:{node.lineno}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not relative, listed(relative)


def test_a_package_imports_only_what_lies_below_it() -> None:
    strays = [
        f"{name_of(path)} imports {module}"
        for path in SHIPPED
        for module in sorted(imports(path))
        if module.split(".")[0] in {*PACKAGES, "app", "cli", "touchstone"}
        and not any(within(module, package) for package in OURS[name_of(path).split("/")[0]])
    ]
    assert not strays, listed(strays)


def test_a_library_is_imported_only_where_it_belongs() -> None:
    strays = [
        f"{name_of(path)} imports {module}"
        for path in SHIPPED
        for module in sorted(imports(path))
        for library, places in ONLY_IN.items()
        if within(module, library) and not name_of(path).startswith(tuple(places.split()))
    ]
    assert not strays, listed(strays)


WITHOUT_TORCH = ("core.models.llm", "core.models.weights", "core.models.words.aggregation", "core.models.words.shallow")
"""Modules of the wing of models that load no network."""


def test_listing_what_exists_needs_no_model_library() -> None:
    """Contracts and plugins may be imported by anyone: none of them may drag a kind of model in."""
    plugins = [
        path
        for path in SHIPPED
        if name_of(path).startswith(("core/scoring/metrics/", "core/edits/perturbations/", "core/data/datasets/"))
    ]
    networks = {
        name_of(path): module
        for path in plugins
        for module in imports(path)
        if within(module, "core.models") and not any(within(module, light) for light in WITHOUT_TORCH)
    }
    assert not networks, networks


def test_every_name_of_a_wing_is_defined_and_hidden_by_no_module() -> None:
    """A submodule that is loaded becomes an attribute of the wing, and would stand in the place of a name that is called like it."""
    for wing in WINGS:
        package = import_module(f"core.{wing}")
        modules = {path.stem for path in (ROOT / "core" / wing).iterdir()}
        assert face(wing)
        assert not modules & face(wing).keys()
        for name, place in face(wing).items():
            assert getattr(package, name) is getattr(import_module(place.rpartition(".")[0]), name)
        with pytest.raises(AttributeError, match=r"gives others no 'nothing'.*__init__\.py"):
            _ = package.nothing


def test_unit_tests_lie_where_what_they_test_lies() -> None:
    folders = {
        path.parent.relative_to(ROOT / "tests" / "unit") for path in (ROOT / "tests" / "unit").rglob("test_*.py")
    }
    strays = [folder.as_posix() for folder in sorted(folders) if not (ROOT / folder).is_dir()]
    assert not strays, listed(strays)


def test_no_page_lies_where_streamlit_would_serve_it_past_the_gate() -> None:
    assert [path.name for path in (ROOT / "pages").glob("*.py")] == ["main.py"]  # which begins with the gate
    assert PAGES


def test_a_page_reads_from_top_to_bottom() -> None:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    long = [f"{name_of(path)} is too long" for path in PAGES if len(text(path).splitlines()) > LONGEST_PAGE]
    defined = [
        f"{name_of(path)}:{node.lineno} defines {node.name}"
        for path in PAGES
        for node in nodes(path)
        if isinstance(node, definitions)
    ]
    assert not [*long, *defined], listed([*long, *defined])


def test_a_run_of_a_page_ends_without_dropping_what_was_asked_meanwhile() -> None:
    stops = [name_of(path) for path in SHIPPED if "st.stop(" in text(path)]
    assert not stops, f"{listed(stops)}\nst.stop drops what a dialog was asked; see pages/ui/shared/script_run.py."


def test_what_people_write_reaches_the_screen_as_text() -> None:
    sources = [*SHIPPED, *(path for path in (ROOT / "pages").rglob("*") if path.suffix in {".js", ".html", ".css"})]
    found = [f"{name_of(path)} has {unsafe}" for path in sources for unsafe in UNSAFE if unsafe in text(path)]
    assert not found, listed(found)


def test_the_scripts_of_the_browser_import_each_other_in_one_direction() -> None:
    imported = {path.name: re.findall(r"^import .* from '\./(.+)';$", text(path), re.MULTILINE) for path in SCRIPTS}
    assert "labeller_keys.js" in imported["labeller.js"]
    TopologicalSorter(imported).prepare()  # raises an error that names the files of a circle


def test_the_top_of_the_project_is_that_of_the_design() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {*ENTRIES}
    visible = [path for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")]
    packages = {path.name for path in visible if list(path.glob("*.py"))}
    assert packages | {"pages", "tests"} == {*PACKAGES}


def test_work_of_another_thread_takes_the_engine_of_a_session_along() -> None:
    """A thread has no session, so that an engine that it asks for itself charges its questions to nobody."""
    nested = [
        f"{name_of(path)}:{call.lineno}"
        for path in SHIPPED
        if name_of(path).startswith("pages/")
        for outer in nodes(path)
        if isinstance(outer, ast.FunctionDef)
        for inner in ast.walk(outer)
        if inner is not outer and isinstance(inner, ast.FunctionDef | ast.Lambda)
        for call in ast.walk(inner)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "services.engine"
    ]
    assert not nested, listed(nested)


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [name_of(path) for path in SHIPPED if path.stem in VAGUE] == []


def test_beside_a_contract_lies_the_folder_of_its_members() -> None:
    wanted = [path for contract in CONTRACTS for path in (f"core/{contract}.py", f"core/{contract}s/__init__.py")]
    missing = [path for path in wanted if not (ROOT / path).is_file()]
    assert not missing, listed(missing)


def test_the_environment_is_read_by_the_settings() -> None:
    """The number of threads has to be set before torch is imported, so the pages' services may do that; worker processes are given all of it,
    plug-ins all but our keys, and readers of files from elsewhere next to nothing. CUDA's own variable hides GPUs from torch."""
    readers = [name_of(path) for path in SHIPPED if "os.environ" in text(path)]
    passing_on = {
        "core/results/bulk/processes.py",
        "core/scoring/plugins/processes/process.py",
        "core/base/files/foreign_files.py",
    }
    assert set(readers) <= {"core/settings.py", "pages/server/services.py", "core/models/hardware.py", *passing_on}


def test_every_table_that_leaves_is_written_by_the_function_that_disarms_formulas() -> None:
    writing = re.compile(r"csv\.(?:writer|DictWriter)|\.to_csv\(|\.to_excel\(|\.to_clipboard\(")
    writers = [name_of(path) for path in SHIPPED if writing.search(text(path))]
    assert writers == ["core/text/displayed_text.py"], listed(writers)
