"""Hashes of the definitions and data files, and the versions of the libraries, that a number comes from.

What counts is what the code of a number reaches. A function or constant counts with all that it names, a class with its members.
Of a record, a dataclass or another class that carries values, count the members that reached code names. An exception never
counts, nor does what is in `CARRIERS`: it carries settings, texts and results to and fro, and computes nothing.
"""

from __future__ import annotations

import builtins
import hashlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from threading import get_ident

from core.base import definitions
from core.base.definitions import EFFECTS, HASH_DIGITS, Definition, SourceFile, hash_of, read_definitions

CodeParts = Mapping[str, str]
"""The first digits of the hash of each definition and data file, by its name, and the version of each library.

Definitions of the same name, of several modules, are one part. No part has a path: a file may be moved and renamed.
"""

CARRIERS = frozenset(
    {
        *("memoize", "import_nltk", "attempt", "require_languages", "mark_language"),
        # what they choose stands in the signature
        *("METRICS", "DECOMPOSERS", "profile_field", "format_spec", "settings_of", "read_profile", "printed_words"),
        *("Settings", "is_allowed", "is_limited", "configured_endpoint", "endpoint_of"),
        *("resolve_model", "chat_model", "read_entries"),
        *("client_for", "capability_store", "framework_environment", "locate", "locate_backbone"),
    }
)
"""Names of definitions of `core` that never count."""

# of metrics and models, that the engine calls
_ENTRIES = frozenset({"plan", "fold", "rounds", "checkpoints", "encode", "forward"})
_TOP = str(__package__).partition(".")[0]
_CORE = str(__package__).rpartition(".")[0]
_DATA_FOLDER = "data"
_LISTING = frozenset({"iterdir", "glob", "rglob", "listdir"})
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


@dataclass(frozen=True, slots=True)
class Root:
    """A definition that a number begins in: its module and name; without a name all of the module."""

    module: str
    name: str = ""


def code_parts(roots: Iterable[Root]) -> dict[str, str]:
    """The parts of the code that these definitions reach in their own package and in `core`.

    Their modules were imported or lie in `core`. A library counts where a definition that is reached uses it.
    """
    return _reach_from(roots).parts()


def own_parts(roots: Iterable[Root]) -> dict[str, str]:
    """The same without the libraries."""
    return _reach_from(roots).own_parts()


def class_root(plugin: type[object]) -> Root:
    """The class of a plugin, or of one that was made at run time the first above it that stands in a file."""
    for above in plugin.__mro__:
        top = above.__module__.partition(".")[0]
        file = _own_file(above.__module__, frozenset({top})) if top not in sys.stdlib_module_names else None
        source = read_source(file) if file else None
        if source and above.__qualname__ in source.definitions:
            return Root(above.__module__, above.__qualname__)
    return Root(plugin.__module__)


def script_parts(script: Path, root: Path, name: str) -> tuple[dict[str, str], set[Path]]:
    """The parts of a script that is not imported here, and the files that they were read from.

    `name` is that of its module. What lies below `root` and is imported counts in turn.
    """

    def locate(module: str) -> Path | None:
        if module == name:
            return script
        return None if module.partition(".")[0] == _TOP else _module_file(root, module)

    reach = _Reach(locate)
    reach.add_root(Root(name))
    return reach.parts(), reach.files


def code_hash(parts: CodeParts) -> str:
    """12 hex digits that change with every part."""
    lines = [f"{name} {value}" for name, value in sorted(parts.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:HASH_DIGITS]


@lru_cache(maxsize=64)
def adapter_code(kind: str) -> str:
    """The hash of what answers the questions of models of a kind; see `core.models.adapters`."""
    return code_hash(code_parts([adapter_root(kind)]))


def adapter_root(kind: str) -> Root:
    return Root(f"{_CORE}.models.adapters.{kind}")


def _reach_from(roots: Iterable[Root]) -> _Reach:
    every = list(roots)
    reach = _Reach(partial(_own_file, starts=frozenset(root.module.partition(".")[0] for root in every)))
    for root in every:
        reach.add_root(root)
    return reach


class _Reach:
    """Follows the names that definitions use, from the roots on."""

    def __init__(self, locate: Callable[[str], Path | None]) -> None:
        self.files: set[Path] = set()
        self._locate = locate
        self._reached: dict[tuple[str, str], Definition] = {}
        self._hashes: defaultdict[str, set[str]] = defaultdict(set)
        self._libraries: set[str] = set()
        self._waiting: list[tuple[str, str]] = []
        self._named: set[str] = set(_ENTRIES)  # attributes in reached code
        self._unnamed: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)  # members of records, by their name
        self._offered: set[tuple[str, str]] = set()
        self._sources: dict[str, SourceFile | None] = {}

    def add_root(self, root: Root) -> None:
        source = self._source(root.module)
        if source is None:
            self._libraries.add(root.module.partition(".")[0])
        elif root.name:
            self._waiting.append((root.module, root.name))
        else:
            self._waiting += [(root.module, name) for name in source.definitions]
        while self._waiting:
            self._reach(*self._waiting.pop())

    def parts(self) -> dict[str, str]:
        libraries = {name: value for top in self._libraries for name, value in library_parts(top).items()}
        return dict(sorted({**self.own_parts(), **libraries}.items()))

    def own_parts(self) -> dict[str, str]:
        hashes = {name: "+".join(sorted(values)) for name, values in self._hashes.items()}
        data: defaultdict[str, set[str]] = defaultdict(set)
        for file in self._data_files():
            self.files.add(file)
            data[file.name].add(_file_hash(file))
        return dict(sorted({**hashes, **{name: "+".join(sorted(values)) for name, values in data.items()}}.items()))

    def _source(self, module: str) -> SourceFile | None:
        """The definitions of a module of ours; None for a library."""
        if module not in self._sources:
            file = self._locate(module)
            self._sources[module] = read_source(file) if file else None
        return self._sources[module]

    def _reach(self, module: str, name: str) -> None:
        source = self._source(module)
        if source is None or (module, name) in self._reached or name not in source.definitions:
            return
        definition = source.definitions[name]
        if module.startswith(f"{_CORE}.") and name in CARRIERS:
            return
        if definition.bases is not None and self._is_exception(module, definition):
            return
        self._reached[module, name] = definition
        labels = [self._follow(module, reference) for reference in definition.references]
        self._hashes[name or "statements"].add(hash_of(definition.form, *labels))
        for reference in definition.types:
            self._follow_type(module, reference)
        for attribute in definition.attributes:
            if attribute not in self._named:
                self._named.add(attribute)
                self._waiting += self._unnamed.pop(attribute, [])
        if EFFECTS in source.definitions:
            self._waiting.append((module, EFFECTS))
        if definition.bases is not None:
            self._reach_members(module, name, definition, self._is_record(module, definition))

    def _reach_members(self, module: str, name: str, definition: Definition, by_name: bool) -> None:
        for member in definition.members:
            if not by_name or member in self._named or member.startswith("__") or member == EFFECTS:
                self._waiting.append((module, f"{name}.{member}"))
            else:
                self._unnamed[member].append((module, f"{name}.{member}"))

    def _follow(self, module: str, reference: str) -> str:
        """Reach what a name refers to; what it is called wherever it lies."""
        place, name, label = self._resolve(module, reference)
        if name:
            self._waiting.append((place, name))
        elif place:
            self._libraries.add(place.partition(".")[0])
        return label

    def _follow_type(self, module: str, reference: str) -> None:
        """Offer the members of a class that is the type of a value: whoever has the value may name them."""
        place, name, _ = self._resolve(module, reference)
        source = self._source(place) if name else None
        definition = source.definitions.get(name) if source else None
        if definition is None or definition.bases is None or (place, name) in self._offered or name in CARRIERS:
            return
        self._offered.add((place, name))
        for member in definition.members:
            if member in self._named:
                self._waiting.append((place, f"{name}.{member}"))
            else:
                self._unnamed[member].append((place, f"{name}.{member}"))
        for base in definition.bases:
            self._follow_type(place, base)

    def _resolve(self, module: str, reference: str) -> tuple[str, str, str]:
        """The module and name of a definition, and what it is called; of a library its name and no name, of the rest neither."""
        origin, colon, path = reference.rpartition(":")
        names = path.split(".") if path else []
        return self._look_up(self._absolute(origin, module) if colon else module, names, not colon)

    def _look_up(self, module: str, names: Sequence[str], here: bool = False) -> tuple[str, str, str]:
        source = self._source(module)
        if source is None:
            return module, "", ".".join([module, *names])
        if not names:
            return module, EFFECTS, ""
        name, *rest = names
        if name in source.definitions:
            return module, name, ".".join(names)
        if name in source.imports:
            origin, _, imported = source.imports[name].rpartition(":")
            return self._look_up(self._absolute(origin, module), [imported, *rest] if imported else rest)
        if not here and self._locate(f"{module}.{name}"):
            return self._look_up(f"{module}.{name}", rest)
        place = next(self._lazy_places(module, source, name), "")
        return place, name if place else "", ".".join(names)

    def _lazy_places(self, module: str, source: SourceFile, name: str) -> Iterator[str]:
        """The modules that may define a name which a module has by `import *` or by `__getattr__`."""
        places = [self._absolute(star, module) for star in source.stars]
        if "__getattr__" in source.definitions:
            literals = {literal for definition in source.definitions.values() for literal in definition.literals}
            places += [self._absolute(literal, module) for literal in sorted(literals)]
            places += [f"{module}.{literal}" for literal in sorted(literals)]
        for place in places:
            file = self._source(place)
            if file and name in file.definitions:
                yield place

    def _absolute(self, origin: str, module: str) -> str:
        """The name of a module that may be relative to the one that imports it."""
        above = len(origin) - len(origin.lstrip("."))
        if not above:
            return origin
        file = self._locate(module)
        package = module.split(".") if file and file.stem == "__init__" else module.split(".")[:-1]
        return ".".join([*package[: len(package) - above + 1], origin.lstrip(".")]).rstrip(".")

    def _is_exception(self, module: str, definition: Definition) -> bool:
        for base in definition.bases or ():
            place, name, label = self._resolve(module, base)
            foreign = getattr(builtins, label, None)
            if isinstance(foreign, type) and issubclass(foreign, BaseException):
                return True
            source = self._source(place) if name else None
            if source and self._is_exception(place, source.definitions[name]):
                return True
        return False

    def _is_record(self, module: str, definition: Definition) -> bool:
        """True for a class that carries values: a dataclass, an abstract class, and what is derived from one."""
        if definition.is_record:
            return True
        for base in definition.bases or ():
            place, name, _ = self._resolve(module, base)
            source = self._source(place) if name else None
            if source and self._is_record(place, source.definitions[name]):
                return True
        return False

    def _data_files(self) -> Iterator[Path]:
        """The files that reached code names, beside its source or in the folder of data there."""
        by_module: defaultdict[str, list[Definition]] = defaultdict(list)
        for (module, _), definition in self._reached.items():
            by_module[module].append(definition)
        everywhere = {literal for definition in self._reached.values() for literal in definition.literals}
        for module, reached in by_module.items():
            source = self._locate(module)
            if source is None:
                continue
            self.files.add(source)
            literals = {literal for definition in reached for literal in definition.literals}
            suffixes = {suffix for definition in reached for suffix in definition.suffixes}
            names = {literal for literal in literals if "." in literal} | {
                f"{stem}{end}" for stem in everywhere for end in suffixes
            }
            for folder in (source.parent, source.parent / _DATA_FOLDER):
                yield from _files_named(folder, names)
            if any(_LISTING.intersection(definition.attributes) for definition in reached):
                for folder in (source.parent / literal for literal in sorted(literals)):
                    is_data = folder.is_dir() and not (folder / "__init__.py").is_file()
                    yield from _files_named(folder, set(os.listdir(folder)) if is_data else set())


def _files_named(folder: Path, names: set[str]) -> Iterator[Path]:
    listed = set(os.listdir(folder)) if folder.is_dir() else set()
    for name in sorted(names):
        if name in listed or "/" in name:
            file = folder / name
            if file.is_file() and file.suffix not in {".py", ".pyc"}:
                yield file


class DefinitionCache:
    """Definitions by the hash of the text they were read from, in memory and in files: parsing takes 10 ms a module."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self._read: dict[str, SourceFile | None] = {}

    def read(self, file: Path) -> SourceFile | None:
        content = file.read_bytes()
        hash = hashlib.sha256(_parser() + content).hexdigest()
        if hash not in self._read:
            self._read[hash] = self._load(hash) or self._parse(content, hash)
        return self._read[hash]

    def _load(self, hash: str) -> SourceFile | None:
        if self.folder is None:
            return None
        try:
            return SourceFile.from_json(json.loads((self.folder / f"{hash}.json").read_bytes()))
        except (OSError, ValueError, TypeError, KeyError):
            return None  # not there, or damaged: it is parsed, and written again

    def _parse(self, content: bytes, hash: str) -> SourceFile | None:
        try:
            source = read_definitions(content.decode("utf-8"))
        except SyntaxError:
            return None
        if self.folder is not None:
            unfinished = self.folder / f".{hash}.{os.getpid()}.{get_ident()}"
            with suppress(OSError):  # it is parsed again then
                self.folder.mkdir(parents=True, exist_ok=True)
                unfinished.write_text(json.dumps(source.to_json()), encoding="utf-8")
                unfinished.replace(self.folder / f"{hash}.json")
        return source


@lru_cache(maxsize=1)
def _parser() -> bytes:
    """The text of the parser: definitions that another version of it read count for nothing."""
    return Path(definitions.__file__).read_bytes()


DEFINITIONS = DefinitionCache()
read_source = DEFINITIONS.read


@lru_cache(maxsize=4096)
def _own_file(name: str, starts: frozenset[str]) -> Path | None:
    """The file of a module of `core`, or of the package or folder of a module that all begins with; else None."""
    top = name.partition(".")[0]
    if top in {_TOP, *starts}:
        return _module_file(_root(top), name) if top in sys.modules else None
    places = (
        _module_file(_root(start), name) for start in starts if start != _TOP and (_root(start) / f"{top}.py").is_file()
    )
    return next((place for place in places if place), None)


def _module_file(root: Path, name: str) -> Path | None:
    path = root.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _root(top: str) -> Path:
    """The folder in which a package or the file of a module lies."""
    module = sys.modules[top]
    places = list(getattr(module, "__path__", [])) or [getattr(module, "__file__", None) or "."]
    return Path(places[0]).resolve().parent


def library_parts(top: str) -> dict[str, str]:
    """The versions of a library and of those below it; nothing of one that moves no number or is not installed."""
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


def _file_hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:HASH_DIGITS]
