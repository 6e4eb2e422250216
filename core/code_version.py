"""Hashes of the source files and data files, and the versions of the libraries, that a number comes from."""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path

CodeParts = Mapping[str, str]
"""The first digits of the SHA-256 of each file, by its place below the folder of its package, and the version of each library.

A file of ours counts as it is in a checkout: in the installed package its imports and commands begin with the package's name.
"""

_HASH_DIGITS = 12
_TOP = str(__package__).partition(".")[0]
_INSTALLED = "touchstone"  # the package that .ci/wheel.py makes of our folders
_RENAMED = (  # what it renames in them, as both forms are hashed
    (re.compile(rf"\b{_INSTALLED}\.(?=(?:annotations|core|pages|app|cli)\b)"), ""),
    (re.compile(rf"(?:python |\{{_python\(\)\}} )?\bcli\.py (?=[a-z])|\b{_INSTALLED} (?=[a-z])"), ""),
    (re.compile(rf"-r requirements-(\w+)\.txt|'{_INSTALLED}\[(\w+)\]'"), r"\1\2"),
)
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)|import[ \t]+([\w., \t]+))", re.M
)
_DATA_FILE = re.compile(r'"([\w-]+\.(?:txt|tsv|csv|json|npz|gz|json\.gz))"')
_DATA_FOLDER = "data"
# they carry texts and settings to and fro, and compute nothing
_WITHOUT_NUMBERS = frozenset(
    {
        "cachetools",
        "google",
        "huggingface_hub",
        "httpx",
        "httpx2",
        "jinja2",
        "openai",
        "py3langid",
        "pydantic",
        "pydantic_settings",
    }
)
_DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "rouge_score": "rouge-score",
    "sentence_transformers": "sentence-transformers",
}
_UNDER = {"transformers": ("tokenizers",)}  # libraries that another one computes with


def code_parts(modules: Iterable[str]) -> dict[str, str]:
    """The parts of the code of these modules and of all that they import of their own package and of `core`.

    `modules` are names of modules that were imported or lie in `core`. A library counts where a file of these imports it.
    """
    parts: dict[str, str] = {}
    for module in modules:
        parts |= _parts_of(module)
    return dict(sorted(parts.items()))


def script_files(script: Path, root: Path, name: str) -> tuple[dict[str, Path], dict[str, str]]:
    """Files of a script that is not imported here, by their place below `root`, and the versions of the libraries they import.

    `name` is that of its module. What lies below `root` and is imported counts, in turn, with the data files that it names.
    """
    files: dict[str, Path] = {}
    libraries = {"python": ".".join(platform.python_version_tuple()[:2])}
    waiting = [(script, name)]
    while waiting:
        file, module = waiting.pop()
        place = file.relative_to(root).as_posix()
        if place in files:
            continue
        files |= {part.relative_to(root).as_posix(): part for part in (file, *_data_files(file))}
        for imported in _imports(file, module):
            path = root.joinpath(*imported.split("."))
            own = next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None)
            if own and imported.partition(".")[0] != _TOP:
                waiting.append((own, imported))
            else:
                libraries |= _library_parts(imported)
    return files, libraries


def code_hash(parts: CodeParts) -> str:
    """12 hex digits that change with every part."""
    lines = [f"{name} {value}" for name, value in sorted(parts.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:_HASH_DIGITS]


@lru_cache(maxsize=64)
def adapter_code(kind: str) -> str:
    """The hash of what answers the questions of models of a kind; see `core.models.adapters`."""
    return code_hash(_parts_of(adapter_module(kind)))


def adapter_module(kind: str) -> str:
    return f"{__package__}.models.adapters.{kind}"


@lru_cache(maxsize=512)
def _parts_of(module: str) -> CodeParts:
    parts: dict[str, str] = {"python": ".".join(platform.python_version_tuple()[:2])}
    own = {_TOP, module.partition(".")[0]}
    waiting: list[str] = [module]
    read: set[Path] = set()
    while waiting:
        name = waiting.pop()
        file = _own_file(name, module)
        if file is None:
            parts |= {} if name.partition(".")[0] in own else _library_parts(name)
        elif file not in read:
            read.add(file)
            of_file, imported = _file_parts(file, name)
            parts |= of_file
            waiting += imported
    return parts


@lru_cache(maxsize=1024)
def _file_parts(file: Path, name: str) -> tuple[CodeParts, tuple[str, ...]]:
    """The parts of the file of a module and of the data files that it names, and the modules that it imports."""
    root = _root(name)
    return {
        part.relative_to(root).as_posix().removeprefix(f"{_INSTALLED}/"): _file_hash(part)
        for part in (file, *_data_files(file))
    }, tuple(_imports(file, name))


def _own_file(name: str, start: str) -> Path | None:
    """The file of a module of `core` or of the package or folder of the module that all begins with; else None."""
    top = name.partition(".")[0]
    if top not in {_TOP, start.partition(".")[0]} and not (_root(start) / f"{top}.py").is_file():
        return None
    path = _root(name if top in sys.modules else start).joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _root(name: str) -> Path:
    """The folder in which the package or the file of a module lies."""
    top = sys.modules[name.partition(".")[0]]
    places = list(getattr(top, "__path__", [])) or [getattr(top, "__file__", None) or "."]
    return _folder_above(places[0])


@lru_cache(maxsize=256)
def _folder_above(place: str) -> Path:
    return Path(place).resolve().parent


def _imports(file: Path, name: str) -> Iterator[str]:
    """The names of the modules that a file may import; those below `from package import` too, which may be names in it."""
    for module, names, plain in _IMPORT.findall(file.read_text(encoding="utf-8")):
        if plain:
            yield from (one.split()[0] for one in plain.split(",") if one.strip())
            continue
        absolute = _resolve(module, name, file)
        yield absolute
        yield from (
            f"{absolute}.{one.split()[0]}" for one in re.sub(r"[()]|#[^\n]*", " ", names).split(",") if one.strip()
        )


def _resolve(module: str, name: str, file: Path) -> str:
    """A module that may be named relative to the one that imports it."""
    above = len(module) - len(module.lstrip("."))
    if not above:
        return module
    package = name.split(".") if file.stem == "__init__" else name.split(".")[:-1]
    return ".".join([*package[: len(package) - above + 1], module.lstrip(".")]).rstrip(".")


def _data_files(file: Path) -> list[Path]:
    """The files beside a source file that it names, and its folder of data."""
    text = file.read_text(encoding="utf-8")
    folders = [file.parent, file.parent / _DATA_FOLDER]
    files = [folder / name for name in _DATA_FILE.findall(text) for folder in folders]
    whole = sorted(folders[1].iterdir()) if f'"{_DATA_FOLDER}"' in text and folders[1].is_dir() else []
    return [path for path in dict.fromkeys([*files, *whole]) if path.is_file()]


def _library_parts(name: str) -> dict[str, str]:
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names or top in _WITHOUT_NUMBERS:
        return {}
    return {library: version for library in (top, *_UNDER.get(top, ())) if (version := _library_version(library))}


@lru_cache(maxsize=256)
def _library_version(module: str) -> str:
    """The version of the distribution of a module; empty for one that is not installed as one."""
    try:
        return metadata.version(_DISTRIBUTIONS.get(module, module))
    except metadata.PackageNotFoundError:
        distributions = metadata.packages_distributions().get(module, [])
        return metadata.version(distributions[0]) if distributions else ""


@lru_cache(maxsize=1024)
def _file_hash(file: Path) -> str:
    content = file.read_bytes()
    if file.suffix == ".py":
        text = content.decode("utf-8")
        for renamed, plain in _RENAMED:
            text = renamed.sub(plain, text)
        content = text.encode()
    return hashlib.sha256(content).hexdigest()[:_HASH_DIGITS]
