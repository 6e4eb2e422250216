"""Sources of plug-ins, a file or a module of an installed package, and the hash of their code."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from core.base import code_hash, script_parts
from core.errors import PluginError
from core.scoring.plugins.environments import framework_environment, framework_of

_Versions = tuple[tuple[str, int, int], ...]
_hashes: dict[tuple[str, ...], tuple[_Versions, str]] = {}
_lock = Lock()


def is_file(source: str) -> bool:
    """True for the path of a file, False for the name of a module."""
    return source.endswith(".py")


def source_title(source: str) -> str:
    """Name of a source in messages: of a file without its folder, of a framework its title."""
    framework = framework_of(source)
    return framework.title if framework else Path(source).name


def module_of(source: str) -> str:
    """The file or module that the process of a source imports."""
    framework = framework_of(source)
    return framework.module if framework else source


def source_hash(source: str) -> str:
    """64 hex digits that change with the file or module, what it imports from beside it, and the versions of its libraries.

    The files are read again only where one was written since. Raises PluginError for a file that is not there.
    """
    framework = framework_of(source)
    installed = {framework.package: framework_environment(framework).metadata} if framework else {}
    key = (source, *map(str, installed.values()))
    with _lock:
        versions, digest = _hashes.get(key, ((), ""))
        if versions and all(_version(Path(path)) == (path, *rest) for path, *rest in versions):
            return digest
        script, root, name = _locate(source)
        try:
            parts, files = script_parts(script, root, name)
            # files that change with the version of the framework
            parts |= {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in installed.items()}
            versions = tuple(_version(file) for file in sorted(files | set(installed.values())))
        except (OSError, UnicodeDecodeError) as error:
            raise PluginError(f"{source_title(source)} cannot be read: {error}.") from error
        digest = hashlib.sha256(code_hash(parts).encode()).hexdigest()
        _hashes[key] = versions, digest
        return digest


def _version(file: Path) -> tuple[str, int, int]:
    try:
        stat = file.stat()
    except OSError:
        return str(file), 0, 0
    return str(file), stat.st_size, stat.st_mtime_ns


def _locate(source: str) -> tuple[Path, Path, str]:
    """The file of a source, the folder that its imports begin in, and the name of its module."""
    if is_file(source):
        file = Path(source)
        if not file.is_file():
            raise PluginError(
                f"There is no file {source}. Name the plug-in's .py file in --plugin or TOUCHSTONE_PLUGINS."
            )
        return file, file.parent, file.stem
    if Path(source).is_absolute():
        raise PluginError(f"{source} is no plug-in. Name a Python file, .py, or a file of services, .toml.")
    source = module_of(source)
    spec = find_spec(source)
    if spec is None or spec.origin is None:
        raise PluginError(f"The module {source} is not installed any more.")
    file = Path(spec.origin)
    depth = source.count(".") + (file.name == "__init__.py")
    return file, file.parents[depth], source
