"""The API that an endpoint speaks: requests are made and answers are read in the form of Chat Completions, and a dialect is in between.

So the parts that a server refuses, reasoning, log-probabilities and usage are read in one place, whatever the API.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import quote

Body = dict[str, object]
"""A request as JSON."""

_LIMITS = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "pattern"),
    )
)
_BY_NAME = frozenset({"properties", "$defs"})


class Dialect(ABC):
    """One API. `path` is that of a question below the address of the endpoint; {model} stands for the name of a model.

    `maker` is whose form its answers have, `key_header` the header of its key, "" for that of Bearer.
    """

    maker: ClassVar[str]
    path: ClassVar[str]
    key_header: ClassVar[str] = ""
    headers: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def path_to(self, model: str) -> str:
        return self.path.format(model=quote(model.removeprefix("models/"), safe=""))

    @abstractmethod
    def body(self, request: Body) -> Body:
        """The request in the form of this API; fields that it does not know are sent as they are, as those of extra_body.

        Raises TouchstoneError for what the API cannot do.
        """

    @abstractmethod
    def completion(self, answer: object) -> object:
        """The answer in the form of Chat Completions; what is no answer of this API is returned as it came."""

    def model_list(self, listed: object) -> object:
        """A list of models in the form of OpenAI."""
        return listed

    def next_page(self, listed: object) -> dict[str, str]:
        """Parameters that ask for the page of a list of models after this one; none where it is the last."""
        last = field(listed, "last_id")
        return {"after": last} if field(listed, "has_more") is True and isinstance(last, str) else {}


def split_request(request: Body, *names: str) -> tuple[Body, Body]:
    """The fields of a request that a dialect translates, and the others."""
    return (
        {name: value for name, value in request.items() if name in names},
        {name: value for name, value in request.items() if name not in names},
    )


def field(value: object, name: str) -> object:
    """A field of what should be an object; None where it is none or has no such field."""
    return value.get(name) if isinstance(value, dict) else None


def objects(value: object) -> list[dict[str, object]]:
    """The objects of what should be a list of them."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def texts(parts: object, name: str = "text") -> str:
    """The texts of what should be a list of objects with a field of that name, one after the other."""
    return "".join(text for part in objects(parts) if isinstance(text := part.get(name), str))


def without_limits(schema: object) -> object:
    """A JSON schema without limits of numbers, texts and lists, which servers refuse; who asks checks the answer in any case."""
    if isinstance(schema, list):
        return [without_limits(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: {key: without_limits(part) for key, part in value.items()}
        if name in _BY_NAME and isinstance(value, dict)
        else without_limits(value)
        for name, value in schema.items()
        if name not in _LIMITS
    }
