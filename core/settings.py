"""Everything that can be set from outside: `TOUCHSTONE_*` variables and `.env`."""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from core.errors import BadSettingError

VERSION = "0.2.0"
_VARIABLE_PREFIX, _ENV_FILE = "TOUCHSTONE_", ".env"
KEY_PREFIX = f"{_VARIABLE_PREFIX}KEY_"
# pip would lose what lies beside installed code
_VAR_FOLDER = Path(__file__).resolve().parent.parent / "var" if __package__ == "core" else Path.home() / ".touchstone"

_LOG = logging.getLogger(__name__)

_DEVICE_NAME = re.compile(r"CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9¹²³]")  # of Windows, also with an ending
_DEVICE = re.compile(r"(cpu|cuda|mps)(:\d+)?")
_LEAST_SECRET = 16
_AT_COMMIT = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


class Settings(BaseSettings):
    """Read once, at the edge: cli.py and pages/server/services.py."""

    model_config = SettingsConfigDict(env_prefix=_VARIABLE_PREFIX, env_file=_ENV_FILE, extra="ignore")

    database_url: str = f"sqlite:///{_VAR_FOLDER / 'touchstone.db'}"
    """Database of labels and pairs."""

    cache_dir: Path = _VAR_FOLDER / "cache"
    """Folder of model answers."""

    cache_gb: float = Field(4.0, gt=0)
    """Disk for these answers; beyond it the least recently used are dropped."""

    device: str = "auto"
    """Device that models run on: auto, all, cpu, cuda, mps, or several of one kind, as cuda:0,cuda:1."""

    memory: str = "auto"
    """Memory for models on each device: as 12GB, or a share of what is free, as 0.5; auto is half, and .85 of a GPU that no other process uses."""

    precision: Literal["exact", "tf32", "bfloat16"] = "exact"
    """Precision of networks whose metric names no number type: exact is float32; tf32 and bfloat16 are faster and move scores."""

    memory_gb: float | None = Field(None, gt=0)
    """The former name of memory, in gigabytes, until 0.2."""

    user: str = "local"
    """The name under which labels are recorded until another is given."""

    shared: bool = False
    """People sign in, and each may do what their role allows."""

    trust_email: bool = False
    """Addresses of a provider of OpenID Connect that does not say if it verified them count as verified. Only where people cannot choose
    their address, as in a tenant of Microsoft Entra that is your own."""

    results_dir: Path | None = None
    """A folder of folders of results: the bulk runs that pages open; without it none on a shared server, elsewhere any."""

    allowed_keys: str = ""
    """Variables that people of a shared server may name as keys of endpoints, separated by commas, beside those that begin with TOUCHSTONE_KEY_."""

    allowed_folders: str = ""
    """Folders of a shared server from which people may name models and batteries, separated by commas, beside models_dir."""

    models_dir: Path = _VAR_FOLDER / "models"
    """Folder of metrics that were trained on the page."""

    noise_battery: str = "touchstone-1"
    """The battery whose harmless edits are the noise on Probe: a name, a file, with +kinds."""

    plugins: str = ""
    """Python files whose functions are metrics, and TOML files of services and checkpoints, separated by commas."""

    metrics_dir: Path = _VAR_FOLDER / "metrics"
    """Folder of metrics that were added by add-metric or on the page."""

    frameworks_dir: Path = _VAR_FOLDER / "frameworks"
    """The folder of environments of other frameworks, whose scorers are metrics: that of DeepEval is its folder deepeval."""

    plugin_timeout_s: float = Field(30.0, gt=0)
    """Seconds that a function of a plug-in may take for a call."""

    plugin_load_timeout_s: float = Field(120.0, gt=0)
    """Seconds that a plug-in may take to load."""

    plugin_memory_gb: float = Field(8.0, ge=0)
    """Memory that the process of a plug-in may take; 0 for no limit."""

    upload_session_mb: float = Field(60.0, gt=0)
    """Memory for the uploaded files of one open page, in megabytes, on a server that others use."""

    upload_server_mb: float = Field(300.0, gt=0)
    """Memory for the uploaded files of all pages together, in megabytes, on a server that others use."""

    person_runs: int | None = Field(None, ge=0)
    """Stress runs that a person of a shared server may have; unlimited by default."""

    person_disk_mb: float | None = Field(None, ge=0)
    """Megabytes of the database that the runs and pins of a person may take before another run; unlimited by default."""

    person_jobs: int | None = Field(None, ge=1)
    """Runs, trainings, scorings and imports of results that a person of a shared server may have under way at once; unlimited by default."""

    person_budget: float | None = Field(None, ge=0)
    """Money that a person of a shared server may spend at endpoints; unlimited by default."""

    study_secret: SecretStr = SecretStr("")
    """A secret of 16 characters or more that signs study links; without it links are not signed."""

    smtp_url: SecretStr = SecretStr("")
    """The mail server by which notices of campaigns are sent, as smtp://NAME:PASSWORD@HOST:587 or smtps://…; none by default."""

    smtp_from: str = ""
    """The address that these mails come from."""

    demo: bool = False
    """Show everything, keep nothing."""

    trusted_repos: str = ""
    """Repositories whose code models may run here: owner/name@commit or a folder, separated by commas; none by default."""

    llm_base_url: str = ""
    """An OpenAI-compatible endpoint, as http://localhost:8000/v1; none by default."""

    llm_api_key: SecretStr = SecretStr("")
    """Its key; never shown, logged or stored."""

    llm_model: str = ""
    """The model that is asked where none is named; none by default."""

    llm_patience_s: float = Field(60.0, gt=0)
    """Seconds that one try at an answer may take."""

    llm_retries: int = Field(2, ge=0, le=20)
    """Number of times that a question is repeated that failed for the moment."""

    llm_wait_s: float = Field(300.0, ge=0)
    """Seconds that the endpoint is waited for while it refuses the rate, loads, or is gone after it has answered before."""

    llm_at_once: int = Field(8, ge=1, le=256)
    """Questions that the endpoint is asked at the same time."""

    llm_reasoning_tokens: int = Field(0, ge=0)
    """The limit of reasoning tokens of its models; 0 for models that take a temperature."""

    llm_thoughts: int | None = Field(None, ge=0)
    """The former name of llm_reasoning_tokens, until 0.2."""

    llm_price_read: float | None = Field(None, ge=0)
    """Money for a million tokens read; 0 where it is free."""

    llm_price_written: float | None = Field(None, ge=0)
    """Money for a million tokens written."""

    llm_batch_price_factor: float = Field(0.5, ge=0, le=1)
    """The part of these prices that answers of its Batch API cost."""

    llm_budget: float | None = Field(None, ge=0)
    """Money that may be spent at all endpoints together; unlimited by default."""

    endpoints: str = ""
    """A TOML file with further endpoints, one table each; its first is asked where none is set above."""

    prompts_dir: str = str(_VAR_FOLDER / "prompts")
    """A folder of prompt files that replace those of core/models/prompts one by one; empty for none."""

    @field_validator("device")
    @classmethod
    def _check_devices(cls, value: str) -> str:
        return check_devices(value)

    @field_validator(
        "cache_dir", "results_dir", "models_dir", "metrics_dir", "frameworks_dir", "prompts_dir", "endpoints",
        "allowed_folders", "plugins", mode="before",
    )  # fmt: skip
    @classmethod
    def _check_paths(cls, value: object) -> object:
        for place in _split_places(str(value or "")):
            _refuse_device_path(place)
        return value

    @field_validator("study_secret")
    @classmethod
    def _check_secret(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < _LEAST_SECRET:
            raise ValueError(f"a secret has {_LEAST_SECRET} characters or more, so that nobody guesses it")
        return value

    @field_validator("smtp_url")
    @classmethod
    def _check_mail_server(cls, value: SecretStr) -> SecretStr:
        url = value.get_secret_value()
        try:
            parts = urlsplit(url)
            is_address = not url or (parts.scheme in {"smtp", "smtps"} and bool(parts.hostname) and parts.port != 0)
        except ValueError:
            is_address = False
        if not is_address:  # the value may hold a password, so that it is not repeated
            raise ValueError("it must be smtp://HOST:PORT or smtps://HOST:PORT, with NAME:PASSWORD@ before the host")
        return value

    @field_validator("memory")
    @classmethod
    def _check_memory(cls, value: str) -> str:
        _parse_memory(value)
        return value

    @field_validator("trusted_repos")
    @classmethod
    def _name_code_that_was_read(cls, value: str) -> str:
        """A branch may be moved to other code after it was read: only a commit or a folder fixes what is trusted."""
        for place in _split_places(value):
            if not (_AT_COMMIT.fullmatch(place) or Path(place).expanduser().is_absolute()):
                raise ValueError(
                    f"{place!r} is neither owner/name@commit, with all 40 digits, nor a folder's whole path"
                )
        return value

    @classmethod
    def read(cls) -> Settings:
        """The settings of this process; raises BadSettingError, which names the variables, for values that cannot be."""
        return _read(_environment())

    def on(self, device: str | None) -> Settings:
        """The same with models on these devices; unchanged where none are named."""
        return self.model_copy(update={"device": device}) if device else self

    @property
    def trusted(self) -> frozenset[str]:
        """Each as owner/name@commit, or the resolved path of a folder."""
        places = _split_places(self.trusted_repos)
        return frozenset(
            place if _AT_COMMIT.fullmatch(place) else str(Path(place).expanduser().resolve()) for place in places
        )

    @property
    def has_guests(self) -> bool:
        """True if others than its operator use this server: they may name no secret, folder or address of its own."""
        return self.shared or self.demo

    def allows_key(self, variable: str) -> bool:
        """True if people may name this variable as the key of an endpoint. As in the environment file, case does not count."""
        name = variable.upper()
        return not self.has_guests or name.startswith(KEY_PREFIX) or name in _split_places(self.allowed_keys.upper())

    @property
    def guest_folders(self) -> tuple[Path, ...] | None:
        """The folders, and the file of the operator's battery, that people may name here; None where they may name any."""
        if not self.has_guests:
            return None
        battery, _, _ = self.noise_battery.partition("+")
        return (self.models_dir, Path(battery), *map(Path, _split_places(self.allowed_folders)))

    @property
    def plugin_files(self) -> list[str]:
        """The whole paths of these files, and of those in `metrics_dir`."""
        named = [Path(place).expanduser().resolve() for place in _split_places(self.plugins)]
        return list(dict.fromkeys(map(str, [*named, *sorted(self.metrics_dir.resolve().glob("[!.]*.toml"))])))

    @property
    def table_files(self) -> list[str]:
        """Those that declare services and checkpoints."""
        return [file for file in self.plugin_files if file.endswith(".toml")]

    @property
    def cache_bytes(self) -> int:
        return int(self.cache_gb * 2**30)

    @property
    def memory_budget(self) -> int | float | None:
        """Bytes, or as a float the share of what is free; None where the device decides it."""
        return _parse_memory(self.memory)


def add_plugin_files(files: Iterable[str]) -> None:
    """Add plug-ins to those of the settings, for this process and its children."""
    paths = [str(Path(file).expanduser().resolve()) for file in files]
    if separated := [file for file in paths if "," in file]:
        raise BadSettingError(f"{separated[0]} has a comma in its path, which separates plug-ins. Rename it.")
    if paths:
        os.environ[f"{_VARIABLE_PREFIX}PLUGINS"] = ",".join([*Settings.read().plugin_files, *paths])


def plugin_variables() -> dict[str, str]:
    """Variables by which a process of another machine loads the same plug-ins, from the same paths."""
    files = Settings.read().plugin_files
    return {f"{_VARIABLE_PREFIX}PLUGINS": ",".join(files)} if files else {}


def check_devices(value: str) -> str:
    """The same without spaces; raises ValueError for what names no devices, or devices of several kinds."""
    names = _split_places(value)
    kinds = {name.partition(":")[0] for name in names}
    if names not in (["auto"], ["all"]) and not (
        len(kinds) == 1 and len({*names}) == len(names) and all(map(_DEVICE.fullmatch, names))
    ):
        raise ValueError(
            f"{value!r} names no devices. Give auto, all, cpu, cuda, mps, or several of one kind, as cuda:0,cuda:1"
        )
    return ",".join(names)


def _refuse_device_path(place: str) -> None:
    """Raise ValueError for a path that Windows takes for a device or for a folder of another machine, on every system."""
    if place.replace("\\", "/").startswith("//"):
        raise ValueError(
            f"{place!r} is a network or device path of Windows. Give a folder of this machine, as C:/data, or map it to a drive"
        )
    parts = [part.partition(".")[0].strip().upper() for part in place.replace("\\", "/").split("/")]
    if names := [name for name in parts if _DEVICE_NAME.fullmatch(name)]:
        raise ValueError(f"{place!r} has {names[0]}, the name of a device of Windows. Name the folder otherwise")


def _parse_memory(text: str) -> int | float | None:
    if text.strip().lower() == "auto":
        return None
    match = re.fullmatch(r"(\d+|\d*\.\d+)\s*(GB)?", text.strip(), re.IGNORECASE)
    number = float(match[1]) if match else 0.0
    if match and match[2] and number:
        return int(number * 2**30)
    if not 0 < number <= 1:
        raise ValueError(
            f"{text!r} is no amount of memory. Give gigabytes, as 12GB, a share of what is free, as 0.5, or auto"
        )
    return number


def secret(variable: str) -> SecretStr:
    """The value of a variable of the environment, or of .env; empty where it is not set."""
    return _secret(variable, os.environ.get(variable, ""), _environment())


# to read takes milliseconds, and every question to an endpoint reads several times
@lru_cache(maxsize=64)
def _secret(variable: str, _value: str, _outside: tuple[object, ...]) -> SecretStr:
    class Found(BaseSettings):
        model_config = SettingsConfigDict(env_file=_ENV_FILE, extra="ignore")

        value: SecretStr = Field(SecretStr(""), validation_alias=variable)

    return Found().value


@lru_cache(maxsize=1)
def _read(_outside: tuple[object, ...]) -> Settings:
    try:
        settings = Settings()
        former = {
            "llm_thoughts": ("llm_reasoning_tokens", settings.llm_thoughts),
            "memory_gb": ("memory", None if settings.memory_gb is None else f"{settings.memory_gb:g}GB"),
        }
        deprecated = {old: new for old, new in former.items() if new[1] is not None}
        for old, (name, _) in deprecated.items():
            _LOG.warning(
                f"TOUCHSTONE_{old.upper()} is now TOUCHSTONE_{name.upper()}; version 0.2 ignores the former name."
            )
        return settings.model_copy(
            update={name: value for name, value in deprecated.values() if name not in settings.model_fields_set}
        )
    except ValidationError as error:
        wrong = [
            f"TOUCHSTONE_{str(details['loc'][0]).upper()}: {details['msg'].removeprefix('Value error, ')}"
            for details in error.errors()
        ]
        raise BadSettingError(f"{'; '.join(wrong)}. Change it in the environment or in .env.") from error


def _environment() -> tuple[object, ...]:
    """Everything that settings are read from: the variables, and the identity and time of the file `.env`."""
    # by the names first: to decode the values of all variables takes longer, and a question reads settings several times
    names = sorted([name for name in os.environ if name[: len(_VARIABLE_PREFIX)].upper() == _VARIABLE_PREFIX])
    try:
        status = os.stat(_ENV_FILE)
    except OSError:
        status = None
    is_file = status is not None and stat.S_ISREG(status.st_mode)
    version = (status.st_ino, status.st_size, status.st_mtime_ns) if status is not None and is_file else None
    return (*[(name, os.environ.get(name)) for name in names], os.getcwd(), version)


def _split_places(text: str) -> list[str]:
    return [place.strip() for place in text.split(",") if place.strip()]
