"""Python environments of other frameworks: location, version and installation of each."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from core.errors import PluginError
from core.settings import Settings

_MARK = "framework:"
_PROGRAMS = "Scripts" if sys.platform == "win32" else "bin"


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework by its name and title, and its package. `besides` are requirements that pip is given too.

    `variables` are those of its process, which switch its telemetry off.
    """

    name: str
    title: str
    package: str
    besides: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The source of its functions, as that of a plug-in."""
        return f"{_MARK}{self.name}"

    @property
    def module(self) -> str:
        """The module that calls it, which is imported in its process alone."""
        return f"{str(__package__).rpartition('.')[0]}.frameworks.{self.name}_scorers"


FRAMEWORKS = MappingProxyType(
    {
        framework.name: framework
        for framework in (
            Framework("autoevals", "autoevals", "autoevals", ("openai",)),
            Framework(
                "deepeval",
                "DeepEval",
                "deepeval",
                variables={
                    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
                    "DEEPEVAL_DISABLE_DOTENV": "1",
                    "DEEPEVAL_FILE_SYSTEM": "READ_ONLY",
                },
            ),
            Framework("inspect", "inspect_ai", "inspect-ai"),
            Framework("phoenix", "Phoenix", "arize-phoenix-evals"),
            # its release 0.4.3 imports a module that is no longer in the next one of this library
            Framework("ragas", "RAGAS", "ragas", ("langchain-community<0.4",), {"RAGAS_DO_NOT_TRACK": "true"}),
            Framework("trulens", "TruLens", "trulens-feedback", ("trulens-core",), {"TRULENS_OTEL_TRACING": "0"}),
        )
    }
)
"""The frameworks by their names."""


@dataclass(frozen=True, slots=True)
class Environment:
    """An interpreter that has a framework, the version of it, and the file that says so."""

    python: Path
    version: str
    metadata: Path


def framework_of(source: str) -> Framework | None:
    """The framework whose functions a source has; None for any other plug-in."""
    return FRAMEWORKS[source.removeprefix(_MARK)] if source.startswith(_MARK) else None


def framework_environment(framework: Framework) -> Environment:
    """The environment of a framework: one of its own, else that of Touchstone. Raises PluginError where neither has it."""
    own = own_environment(framework)
    for python, folders in (
        (own / _PROGRAMS / "python", [*own.glob("lib/python*/site-packages"), own / "Lib" / "site-packages"]),
        (Path(sys.executable), [*map(Path, sys.path)]),
    ):
        if python.is_file() and (metadata := _metadata_file(framework.package, folders)):
            version = metadata.parent.name.removesuffix(".dist-info").rpartition("-")[2]
            return Environment(python, version, metadata)
    raise PluginError(f"{framework.title} is not installed. Run: {install_command(framework)}")


def own_environment(framework: Framework) -> Path:
    """The folder of the environment that a framework has for itself, where there is one."""
    return Settings.read().frameworks_dir / framework.name


def install_command(framework: Framework) -> str:
    """Command that makes that environment, in a terminal."""
    folder = own_environment(framework)
    make = [_shown(Path(sys.executable)), "-m", "venv", _shown(folder)]
    install = [_shown(folder / _PROGRAMS / "pip"), "install", framework.package, *framework.besides]
    return f"{shlex.join(make)} && {shlex.join(install)}"


def _shown(path: Path) -> str:
    """The path from the folder that a terminal is in, where it lies below it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _metadata_file(package: str, folders: Iterable[Path]) -> Path | None:
    pattern = f"{package.replace('-', '_')}-*.dist-info/METADATA"
    return next((file for folder in folders for file in folder.glob(pattern)), None)
