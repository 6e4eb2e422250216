"""Endpoints that are configured, in the environment and in the endpoints file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from pydantic import ValidationError

from core.base import read_entries, wrong_fields
from core.errors import BadSettingError, MissingEndpointError, TouchstoneError, UnknownNameError
from core.model_reference import EndpointModel
from core.models.llm.endpoints.apis import DIALECTS
from core.models.llm.endpoints.endpoint import Endpoint, Price, address_fingerprint
from core.models.llm.endpoints.endpoints_file import EndpointEntry, read_endpoints_file
from core.models.llm.endpoints.local_models import check_local_model, is_local_model
from core.models.llm.endpoints.services_file import SERVICE_PREFIX, ServiceEntry
from core.settings import KEY_PREFIX, Settings, secret

_MODEL_FROM_SETTINGS = frozenset({"endpoint_chat"})
"""Kinds whose questions name no model of their own."""


_FOUND_FIELDS = frozenset({"structured", "system_role", "top_logprobs", "seed"})
"""Fields that are found of a server where nobody set them."""


def configured_endpoint(name: str = "") -> Endpoint:
    """The endpoint of that name as it is set now, "" for the default one: that of the variables, else the file's first.

    Raises NoEndpointError where it or its key is not set, UnknownNameError for a name that the file does not hold, and
    BadSettingError for what cannot be read. Read at every question and not with the other settings: a key that travelled
    through checkpoints or questions would end in signatures and caches.
    """
    settings = Settings.read()
    return _named_endpoint(name, settings) if name else _default_endpoint(settings)


def endpoint_of(model: EndpointModel) -> Endpoint:
    """The endpoint of a model; besides what `configured_endpoint` raises, TouchstoneError where it has moved from its address."""
    endpoint = configured_endpoint(model.endpoint)
    if model.address and model.address != endpoint.address:
        raise TouchstoneError(
            f"The endpoint {endpoint.title!r} was changed while this question waited for {model.address}. Ask again."
        )
    return endpoint


def batch_endpoint_of(model: EndpointModel) -> Endpoint:
    """The same at the price of its Batch API."""
    return endpoint_of(model).for_batches()


def pin_address(model: EndpointModel) -> EndpointModel:
    """The model at the address that its endpoint has now."""
    if model.address:
        return model
    endpoint = configured_endpoint(model.endpoint)
    return EndpointModel(endpoint.name, model.kind, endpoint.address)


def model_fingerprint(model: EndpointModel) -> str:
    """Sha256, in hex, of the address at which a model answers; raises MissingEndpointError."""
    return address_fingerprint(model.address or endpoint_of(model).address)


def typed_endpoint(fields: Mapping[str, object], key: str) -> Endpoint:
    """An endpoint as a person typed it, with a key or `key_from`; it is not asked before `add_endpoint`.

    Raises BadSettingError with the field that is wrong or the variable that people may not name on this server, and
    MissingEndpointError for a variable that is not set.
    """
    try:
        entry = EndpointEntry.model_validate(dict(fields))
    except ValidationError as error:
        wrong = wrong_fields(error)
        raise BadSettingError(f"{wrong}. A name has letters, digits, dots and dashes.") from None
    if not entry.model.strip():
        raise BadSettingError("model: Name the model that the endpoint is to ask.")
    settings = Settings.read()
    for variable in (entry.key_from, *(value[1:] for value in entry.headers.values() if value.startswith("$"))):
        if variable and not settings.allows_key(variable):
            raise BadSettingError(
                f"{variable} may not be named here: people share this server, and the variable may hold a secret of it. "
                f"Whoever runs it can give the key in a variable that begins with {KEY_PREFIX}, or list the name in "
                "TOUCHSTONE_ALLOWED_KEYS. Or type the key itself."
            )
    return replace(_build_endpoint(entry, key.strip() or _key_of_entry(entry, entry.name), entry.name), typed=True)


def add_endpoint(endpoint: Endpoint) -> None:
    """Have an endpoint asked by its name until this process ends; its key is kept in memory only.

    One that was added before under this name is replaced. Raises BadSettingError for a name of the endpoints file.
    """
    file = Settings.read().endpoints
    if any(entry.name == endpoint.name for entry in read_endpoints_file(file)):
        raise BadSettingError(f"{file} has an endpoint named {endpoint.name} already. Choose another name.")
    _ADDED[endpoint.name] = endpoint


def remove_endpoint(name: str) -> None:
    """Forget an endpoint that was added, with its key."""
    _ADDED.pop(name, None)


def is_added(name: str) -> bool:
    """True if an endpoint was added while this process runs."""
    return name in _ADDED


_ADDED: dict[str, Endpoint] = {}


def list_endpoints() -> list[Endpoint | str]:
    """Every endpoint that is set, the default one first; a sentence in place of one that cannot be used.

    Raises BadSettingError for a file that cannot be read.
    """
    settings = Settings.read()
    names = [""] if settings.llm_base_url.strip() else []
    names += [entry.name for entry in read_endpoints_file(settings.endpoints)]
    return [endpoint_problem(name) or configured_endpoint(name) for name in dict.fromkeys([*names, *_ADDED])]


def resolve_model(named: str, endpoint: str = "") -> str:
    """The model that is named, else the one that is set for the endpoint; raises MissingEndpointError where there is neither.

    One of this machine (`local:`) needs no endpoint, and none may be named beside it.
    """
    if is_local_model(named):
        return check_local_model(named, endpoint)
    if named.strip():
        return named.strip()
    configured = configured_endpoint(endpoint)
    if configured.model:
        return configured.model
    raise MissingEndpointError(
        f"No language model is named. Set {configured.setting('model')} to the name of one that the endpoint serves, or model=…."
    )


def endpoint_problem(name: str = "") -> str:
    """Message on what to set where the endpoint of that name is not configured; empty where it is."""
    try:
        configured_endpoint(name)
    except (MissingEndpointError, BadSettingError, UnknownNameError) as error:
        return str(error)
    return ""


def model_problem(model: EndpointModel) -> str:
    """Message on what to set before this model can be asked without being named; empty where nothing is missing."""
    if problem := endpoint_problem(model.endpoint):
        return problem
    try:
        resolve_model("" if model.kind in _MODEL_FROM_SETTINGS else "its own", model.endpoint)
    except MissingEndpointError as error:
        return str(error)
    return ""


def _default_endpoint(settings: Settings) -> Endpoint:
    if settings.llm_base_url.strip():
        return Endpoint(
            _clean_address(settings.llm_base_url, "TOUCHSTONE_LLM_BASE_URL", "TOUCHSTONE_LLM_API_KEY"),
            settings.llm_api_key.get_secret_value(),
            patience_s=settings.llm_patience_s,
            model=settings.llm_model.strip(),
            at_once=settings.llm_at_once,
            retries=settings.llm_retries,
            wait_s=settings.llm_wait_s,
            reasoning_tokens=settings.llm_reasoning_tokens,
            price=_read_price(settings.llm_price_read, settings.llm_price_written),
            batch_price_factor=settings.llm_batch_price_factor,
        )
    if entries := read_endpoints_file(settings.endpoints):
        return _endpoint_from_entry(entries[0], settings.endpoints)
    if _ADDED:
        return next(iter(_ADDED.values()))
    raise MissingEndpointError(
        "No language-model endpoint is set. Set TOUCHSTONE_LLM_BASE_URL (and TOUCHSTONE_LLM_API_KEY where it wants one), "
        "for example to http://localhost:8000/v1 of a vLLM server, or add one on the Metrics page. A chat model of this "
        "machine needs none: name it as model local:FOLDER. In a checkout, the command make small-model gets a very small one, for trying the buttons."
    )


def _named_endpoint(name: str, settings: Settings) -> Endpoint:
    if name in _ADDED:
        return _ADDED[name]
    if name.startswith(SERVICE_PREFIX):
        for file in settings.table_files:
            for service in read_entries(file, ServiceEntry):
                if service.endpoint.name == name:
                    return _endpoint_from_entry(service.endpoint, file)
        raise MissingEndpointError(
            f"No service is named {name.removeprefix(SERVICE_PREFIX)!r}. Name its TOML file with --plugin or in TOUCHSTONE_PLUGINS."
        )
    entries = {entry.name: entry for entry in read_endpoints_file(settings.endpoints)}
    if name not in entries:
        if not settings.endpoints.strip():
            raise MissingEndpointError(
                f"No endpoint is named {name!r}: TOUCHSTONE_ENDPOINTS names no file. Set it to a TOML file with [{name}]."
            )
        raise UnknownNameError(f"endpoint of {settings.endpoints}", name, entries)
    return _endpoint_from_entry(entries[name], settings.endpoints)


def _endpoint_from_entry(entry: EndpointEntry, file: str) -> Endpoint:
    where = f"{file}, [{entry.name}]"
    return _build_endpoint(entry, _key_of_entry(entry, where), where)


def _key_of_entry(entry: EndpointEntry, where: str) -> str:
    key = secret(entry.key_from).get_secret_value() if entry.key_from else ""
    if entry.key_from and not key:
        raise MissingEndpointError(
            f"{where}: key_from names {entry.key_from}, which is not set. Set it in the environment or in .env."
        )
    return key


def _build_endpoint(entry: EndpointEntry, key: str, where: str) -> Endpoint:
    price = _read_price(entry.price_read, entry.price_written)
    if price is not None or entry.price_answer is not None:
        price = replace(price or Price(0.0, 0.0), cached=entry.price_cached, answer=entry.price_answer or 0.0)
    headers = []
    for header, value in entry.headers.items():
        header_value = secret(value[1:]).get_secret_value() if value.startswith("$") else value
        if value.startswith("$") and not header_value:
            raise MissingEndpointError(
                f"{where}: headers name {value[1:]}, which is not set. Set it in the environment or in .env."
            )
        headers.append((header, header_value))
    return Endpoint(
        _clean_address(entry.base_url, f"{where}: base_url", "key_from"),
        key,
        patience_s=entry.patience_s,
        name=entry.name,
        model=entry.model.strip(),
        at_once=entry.at_once,
        retries=entry.retries,
        wait_s=entry.wait_s,
        stream=entry.stream,
        reasoning_tokens=entry.reasoning_tokens,
        price=price,
        budget=entry.budget,
        total_s=entry.total_s,
        extra_body=json.dumps(entry.extra_body, sort_keys=True),
        headers=tuple(headers),
        query=tuple(entry.query.items()),
        key_header=entry.key_header or DIALECTS[entry.api].key_header,
        seed=entry.seed,
        leave_out=tuple(entry.leave_out),
        system_role=entry.system_role,
        structured=entry.structured,
        top_logprobs=entry.top_logprobs,
        batch_price_factor=entry.batch_price_factor,
        api=entry.api,
        own=frozenset(entry.model_fields_set & _FOUND_FIELDS),
    )


def _read_price(read: float | None, written: float | None) -> Price | None:
    """None where neither is set; where only one is set, the other is free."""
    return None if read is None and written is None else Price(read or 0.0, written or 0.0)


def _clean_address(text: str, setting: str, key_setting: str) -> str:
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
