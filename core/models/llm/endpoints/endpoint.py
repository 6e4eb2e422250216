"""An endpoint of a language model: its address with the key, limits, price and options, and the fingerprint of where it answers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace

from core.models.llm.endpoints.endpoints_file import Api
from core.models.llm.endpoints.services_file import SERVICE_PREFIX

EXECUTOR_OPTION = "--executor"
"""Name of the endpoint whose address stands in that option, which sets nothing else."""

LIKELY_TOKENS_LIMIT = "top_logprobs<="
"""Start of the part of a request that is left out where a server limits the number of likely tokens."""


_ENVIRONMENT_VARIABLES = {
    "base_url": "TOUCHSTONE_LLM_BASE_URL",
    "key_from": "TOUCHSTONE_LLM_API_KEY",
    "model": "TOUCHSTONE_LLM_MODEL",
    "patience_s": "TOUCHSTONE_LLM_PATIENCE_S",
    "reasoning_tokens": "TOUCHSTONE_LLM_REASONING_TOKENS",
    "price_read": "TOUCHSTONE_LLM_PRICE_READ",
    "price_written": "TOUCHSTONE_LLM_PRICE_WRITTEN",
    "budget": "TOUCHSTONE_LLM_BUDGET",
}
"""Variables that set the fields of the default endpoint."""


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens read and written, in whatever currency the budget is in.

    `cached` is that of tokens read from the server's cache, None where it is as that of others. `answer` is for each answer besides.
    """

    read: float
    written: float
    cached: float | None = None
    answer: float = 0.0

    def of(self, read: int, written: int, cached: int = 0) -> float:
        cheaper = 0.0 if self.cached is None else cached * (self.read - self.cached)
        return self.answer + (read * self.read + written * self.written - cheaper) / 1_000_000

    def times(self, factor: float) -> Price:
        cached = None if self.cached is None else self.cached * factor
        return Price(self.read * factor, self.written * factor, cached, self.answer * factor)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address to ask, with its limits and its price. The key shows in no print, log or traceback."""

    base_url: str
    """As `https://api.openai.com/v1`, without a slash at its end."""

    key: str = field(repr=False)
    """The secret that is sent with every request; "" for a server that takes none."""

    patience_s: float = 60.0
    """Seconds to wait for an answer, or between two pieces of a streamed one, of each try."""

    name: str = ""
    """Its table in the file of endpoints; "" for the one that the environment sets."""

    model: str = ""
    """The model to ask where a question names none; "" if it must be named."""

    at_once: int = 8
    """Questions that may be under way together."""

    retries: int = 2
    """Further tries after one that failed for the moment; 0 to wait for nothing."""

    wait_s: float = 300.0
    """Seconds that it is waited for while it refuses the rate, loads, or is gone after it has answered before."""

    stream: bool | None = None
    """True to have answers sent piece by piece, False never; None where they may be long, so that patience counts silence."""

    reasoning_tokens: int = 0
    """Limit of what a reasoning model may write before its answer; above 0 no temperature and top_p are sent."""

    price: Price | None = None
    """Money for its tokens and answers: None if unknown, 0 for a free endpoint."""

    budget: float | None = None
    """Money that may be spent here in all, in the unit of `price`; None for no limit."""

    total_s: float = 600.0
    """Seconds that a whole streamed answer may take."""

    extra_body: str = "{}"
    """JSON object whose fields are sent with every request."""

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """HTTP headers, name and value, that are sent besides."""

    query: tuple[tuple[str, str], ...] = ()
    """Parameters that are appended to every address, name and value."""

    key_header: str = ""
    """Header that takes the key; "" for Authorization, as Bearer."""

    seed: int | None = None
    """Sent with each question after the number of its sample is added; None to send none."""

    leave_out: tuple[str, ...] = ()
    """Fields of a request that the model refuses: temperature, top_p."""

    system_role: bool = True
    """False to put the system message before the first question."""

    structured: str = "json_schema"
    """The strictest form of structured answers to request: json_schema, json_object or none."""

    top_logprobs: int | None = None
    """Likely tokens that the server gives at most for a place; None to find it out."""

    typed: bool = False
    """True if somebody entered it in the form of the app, so that no file has it."""

    batch_price_factor: float = 0.5
    """The part of `price` that answers of its Batch API cost, from 0 to 1."""

    api: Api = "chat"
    """The protocol that it speaks, see `core.models.llm.endpoints.apis`."""

    own: frozenset[str] = frozenset()
    """Fields of this record that somebody set, among those that are otherwise learned from the server's answers."""

    @property
    def extra(self) -> dict[str, object]:
        """Fields that are sent in addition with every question."""
        extra: dict[str, object] = json.loads(self.extra_body)
        return extra

    @property
    def left_out(self) -> frozenset[str]:
        """Parts that no request to it has: parameters, the role of the system, forms of answers, and more likely tokens."""
        forms = {"json_schema": (), "json_object": ("json_schema",), "none": ("json_schema", "json_object")}
        limit = () if self.top_logprobs is None else (f"{LIKELY_TOKENS_LIMIT}{self.top_logprobs}",)
        return frozenset((*self.leave_out, *forms[self.structured], *(() if self.system_role else ("system",)), *limit))

    def for_batches(self) -> Endpoint:
        """The same endpoint at the price of its Batch API."""
        return replace(self, price=self.price.times(self.batch_price_factor)) if self.price else self

    @property
    def title(self) -> str:
        return self.name or "default"

    def setting(self, field: str) -> str:
        """Name under which a person changes a field: a variable, an option, or the field in the form or table of the endpoint."""
        if self.typed:
            return f"{field} of {self.name} in the form on the Metrics page"
        if not self.name:
            return _ENVIRONMENT_VARIABLES[field]
        if self.name == EXECUTOR_OPTION:
            file = (
                f"{field} of an endpoint in the file of TOUCHSTONE_ENDPOINTS whose name follows {EXECUTOR_OPTION} FORM="
            )
            return f"the URL of {EXECUTOR_OPTION}" if field == "base_url" else file
        if self.name.startswith(SERVICE_PREFIX):
            return f"{field} under [{self.name.removeprefix(SERVICE_PREFIX)}] in its file of services"
        return f"{field} under [{self.name}] in the file of TOUCHSTONE_ENDPOINTS"

    @property
    def root(self) -> str:
        """The server without the version that the paths of OpenAI begin with."""
        return self.base_url.removesuffix("/v1")

    @property
    def address(self) -> str:
        """Address to ask, with the options that change the answers of the same models there."""
        # "thoughts" is part of fingerprints, which are stored
        marks = [f"thoughts={self.reasoning_tokens}"] if self.reasoning_tokens else []
        if self.api != "chat":
            marks.append(f"api={self.api}")
        options = [self.extra_body, self.query, self.seed, self.leave_out, self.system_role]
        if options != [_PLAIN.extra_body, _PLAIN.query, _PLAIN.seed, _PLAIN.leave_out, _PLAIN.system_role]:
            marks.append(f"options={hashlib.sha256(json.dumps(options).encode()).hexdigest()[:12]}")
        return "#".join([self.base_url, "&".join(marks)]) if marks else self.base_url

    @property
    def fingerprint(self) -> str:
        return address_fingerprint(self.address)


_PLAIN = Endpoint("", "")


def address_fingerprint(address: str) -> str:
    """Sha256, in hex, of an address: two servers are not the same, whatever they call their models."""
    return hashlib.sha256(address.encode()).hexdigest()
