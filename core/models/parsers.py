"""Where a spaCy pipeline lies: in an installed package, or in a folder that `nlp.to_disk` wrote."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from core.errors import LoadError, NotHereError

_PACKAGE = "package:"


def parser_folder(source: str) -> Path:
    """The folder with the pipeline's config.cfg; raises NotHereError with what to install, LoadError for another folder."""
    name = source.removeprefix(_PACKAGE)
    folder = _in_package(name) if source.startswith(_PACKAGE) else Path(source).expanduser()
    if not (folder / "config.cfg").is_file():
        raise LoadError(
            f"{source!r} is no spaCy pipeline: {folder} holds no config.cfg. Set parser= to a folder written by "
            "nlp.to_disk, or to package: and the name of an installed pipeline."
        )
    return folder


def parser_files(folder: Path) -> list[Path]:
    """The files whose contents decide what the pipeline says, in a fixed order."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"})


def _in_package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise NotHereError(
            f"The spaCy pipeline {name!r} is not installed. Run: python -m spacy download {name}, or set parser= to the "
            "folder of a pipeline."
        )
    package = Path(spec.origin).parent
    return next((path.parent for path in sorted(package.glob(f"{name}-*/config.cfg"))), package)
