"""Which OpenAI-compatible endpoints are configured, and which of their models is asked."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.errors import BadSettingError, NoEndpointError, TouchstoneError, UnknownNameError
from core.llm.addressee import SOURCE, address_in, name_in, pinned
from core.llm.endpoints_file import Entry, read_endpoints
from core.settings import Settings, secret
from core.types import Checkpoint

_MODEL_FROM_SETTINGS = frozenset({"say"})
"""Kinds whose questions name no model of their own."""


_VARIABLES = {
    "base_url": "TOUCHSTONE_LLM_BASE_URL",
    "key_from": "TOUCHSTONE_LLM_API_KEY",
    "model": "TOUCHSTONE_LLM_MODEL",
    "patience_s": "TOUCHSTONE_LLM_PATIENCE_S",
    "thoughts": "TOUCHSTONE_LLM_THOUGHTS",
    "price_read": "TOUCHSTONE_LLM_PRICE_READ",
    "price_written": "TOUCHSTONE_LLM_PRICE_WRITTEN",
    "budget": "TOUCHSTONE_LLM_BUDGET",
}
"""How the fields of the default endpoint are set."""


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens read and written, in whatever currency the budget is in."""

    read: float
    written: float

    def of(self, read: int, written: int) -> float:
        return (read * self.read + written * self.written) / 1_000_000


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, within which limits and at which price. The key shows in no print, log or traceback.

    `patience_s` is for one try and `retries` more are made; `at_once` questions are under way together. No price: unknown;
    a free endpoint has the price 0. `stream` has answers sent piece by piece, for gateways that cut long silences.
    `model` is asked where none is named. `budget` is what may be spent here in all. `thoughts` are the tokens that models may
    think here before they answer; those that think take no temperature and no top_p, and none is sent to them.
    """

    base_url: str
    key: str = field(repr=False)
    patience_s: float = 60.0
    name: str = ""
    model: str = ""
    at_once: int = 8
    retries: int = 2
    stream: bool = False
    thoughts: int = 0
    price: Price | None = None
    budget: float | None = None

    @property
    def title(self) -> str:
        return self.name or "default"

    def setting(self, field: str) -> str:
        """What a person sets to change a field: a variable, or the field in the table of the endpoint."""
        if not self.name:
            return _VARIABLES[field]
        return f"{field} under [{self.name}] in the file of TOUCHSTONE_ENDPOINTS"

    @property
    def root(self) -> str:
        """The server without the version that the paths of OpenAI begin with."""
        return self.base_url.removesuffix("/v1")

    @property
    def address(self) -> str:
        """Where to ask, and what makes other answers of the same models there."""
        return f"{self.base_url}#thoughts={self.thoughts}" if self.thoughts else self.base_url

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.address)


def configured(name: str = "") -> Endpoint:
    """The endpoint of that name as it is set now, "" for the default one: that of the variables, else the file's first.

    Raises NoEndpointError where it or its key is not set, UnknownNameError for a name that the file does not hold, and
    BadSettingError for what cannot be read. Read at every question and not with the other settings: a key that travelled
    through checkpoints or questions would end in signatures and caches.
    """
    settings = Settings.read()
    return _named(name, settings) if name else _default(settings)


def asked_by(checkpoint: Checkpoint) -> Endpoint:
    """The endpoint of a checkpoint; besides what `configured` raises, TouchstoneError where it is no longer at its address."""
    endpoint = configured(name_in(checkpoint))
    if (address := address_in(checkpoint)) and address != endpoint.address:
        raise TouchstoneError(
            f"The endpoint {endpoint.title!r} was set anew while this question waited for {address}. Ask again."
        )
    return endpoint


def at_its_address(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint of an endpoint, pinned to the address that it has now; any other as it is."""
    if checkpoint.source != SOURCE or address_in(checkpoint):
        return checkpoint
    endpoint = configured(name_in(checkpoint))
    return pinned(endpoint.name, checkpoint.kind, endpoint.address)


def fingerprint_of(address: str) -> str:
    """Sha256, in hex, of an address: two servers are not the same, whatever they call their models."""
    return hashlib.sha256(address.encode()).hexdigest()


def endpoints() -> list[Endpoint | str]:
    """Every endpoint that is set, the default one first; a sentence in place of one that cannot be used.

    Raises BadSettingError for a file that cannot be read.
    """
    settings = Settings.read()
    names = [""] if settings.llm_base_url.strip() else []
    return [_or_why_not(name) for name in [*names, *(entry.name for entry in read_endpoints(settings.endpoints))]]


def chosen_model(named: str, endpoint: str = "") -> str:
    """The model that is named, else the one that is set for the endpoint; raises NoEndpointError where there is neither."""
    if named.strip():
        return named.strip()
    asked = configured(endpoint)
    if asked.model:
        return asked.model
    raise NoEndpointError(
        f"No language model is named. Set {asked.setting('model')} to the name of one that the endpoint serves, or model=…."
    )


def missing_endpoint(name: str = "") -> str:
    """What to set, where the endpoint of that name is not configured; empty where it is."""
    try:
        configured(name)
    except (NoEndpointError, BadSettingError, UnknownNameError) as error:
        return str(error)
    return ""


def missing(checkpoint: Checkpoint) -> str:
    """What to set before this checkpoint of an endpoint can be asked without naming a model; empty where nothing is missing."""
    name = name_in(checkpoint)
    if problem := missing_endpoint(name):
        return problem
    try:
        chosen_model("" if checkpoint.kind in _MODEL_FROM_SETTINGS else "its own", name)
    except NoEndpointError as error:
        return str(error)
    return ""


def _or_why_not(name: str) -> Endpoint | str:
    return missing_endpoint(name) or configured(name)


def _default(settings: Settings) -> Endpoint:
    if settings.llm_base_url.strip():
        return _of_variables(settings)
    if entries := read_endpoints(settings.endpoints):
        return _of(entries[0], settings.endpoints)
    raise NoEndpointError(
        "No language-model endpoint is set. Set TOUCHSTONE_LLM_BASE_URL (and TOUCHSTONE_LLM_API_KEY where it wants one), "
        "for example to http://localhost:8000/v1 of a vLLM server."
    )


def _of_variables(settings: Settings) -> Endpoint:
    return Endpoint(
        _address(settings.llm_base_url, "TOUCHSTONE_LLM_BASE_URL", "TOUCHSTONE_LLM_API_KEY"),
        settings.llm_api_key.get_secret_value(),
        patience_s=settings.llm_patience_s,
        model=settings.llm_model.strip(),
        at_once=settings.llm_at_once,
        retries=settings.llm_retries,
        thoughts=settings.llm_thoughts,
        price=_price(settings.llm_price_read, settings.llm_price_written),
    )


def _named(name: str, settings: Settings) -> Endpoint:
    entries = {entry.name: entry for entry in read_endpoints(settings.endpoints)}
    if name not in entries:
        if not settings.endpoints.strip():
            raise NoEndpointError(
                f"No endpoint is named {name!r}: TOUCHSTONE_ENDPOINTS names no file. Set it to a TOML file with [{name}]."
            )
        raise UnknownNameError(f"endpoint of {settings.endpoints}", name, entries)
    return _of(entries[name], settings.endpoints)


def _of(entry: Entry, file: str) -> Endpoint:
    where = f"{file}, [{entry.name}]"
    key = secret(entry.key_from).get_secret_value() if entry.key_from else ""
    if entry.key_from and not key:
        raise NoEndpointError(
            f"{where}: key_from names {entry.key_from}, which is not set. Set it in the environment or in .env."
        )
    return Endpoint(
        _address(entry.base_url, f"{where}: base_url", "key_from"),
        key,
        patience_s=entry.patience_s,
        name=entry.name,
        model=entry.model.strip(),
        at_once=entry.at_once,
        retries=entry.retries,
        stream=entry.stream,
        thoughts=entry.thoughts,
        price=_price(entry.price_read, entry.price_written),
        budget=entry.budget,
    )


def _price(read: float | None, written: float | None) -> Price | None:
    """None where neither is told; what is told of one alone leaves the other free."""
    return None if read is None and written is None else Price(read or 0.0, written or 0.0)


def _address(text: str, setting: str, key_setting: str) -> str:
    """The address without its last slash; raises BadSettingError, which does not repeat it, for one that is not fit to be shown."""
    address = text.strip().rstrip("/")
    if "@" in urlsplit(address).netloc or "?" in address:
        raise BadSettingError(
            f"{setting} holds a password or a query, and addresses stand in logs. Leave the address alone in it, "
            f"and set {key_setting}."
        )
    if not re.match(r"https?://\S+$", address):
        raise BadSettingError(f"{setting} is no address of a server. Write it as http://localhost:8000/v1.")
    return address
