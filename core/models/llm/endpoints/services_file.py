"""Services that score, as a file of metrics declares them: `[name]` with the `url` that is asked."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from core.base import MetricEntry
from core.models.llm.endpoints.endpoints_file import EndpointEntry

SERVICE_PREFIX = "service."
"""Begins the name of the endpoint of a service, so that it is that of no language model."""


class ServiceEntry(MetricEntry):
    """One table: a service that scores, its limits as those of an endpoint, and how to read its score."""

    hint: ClassVar[str] = "A key is named by key_from."

    url: str
    """Address that document and summary are sent to."""

    low: float | None = 0.0
    """The lowest score that it gives; None if unbounded."""

    high: float | None = 1.0
    """The highest score that it gives; None if unbounded."""

    direction: Literal["higher", "lower", "neutral"] = "higher"
    """End of the scale that is the more consistent one."""

    metric: str = ""
    """The metric that the service is asked for; "" if it has only one."""

    key_from: str = Field("", pattern=r"^\w*$")
    """The variable that holds the key, never the key itself; "" for a service that takes none."""

    key_header: str = Field("", pattern=r"^[\w-]*$")
    """Header that takes the key; "" for Authorization, as Bearer."""

    headers: dict[str, str] = Field(default_factory=dict)
    """HTTP headers that are sent besides; a value `$NAME` is read from the variable NAME."""

    at_once: int = Field(8, ge=1, le=256)
    """Questions that may be under way together."""

    patience_s: float = Field(60.0, gt=0)
    """Seconds to wait for an answer, of each try."""

    retries: int = Field(2, ge=0, le=20)
    """Further tries after one that failed for the moment; 0 to wait for nothing."""

    wait_s: float = Field(300.0, ge=0)
    """Seconds that it is waited for while it refuses the rate, loads, or is gone after it has answered before."""

    price: float = Field(0.0, ge=0)
    """The most money that one answer may cost."""

    budget: float | None = Field(None, ge=0)
    """Money that may be spent in all; None for no limit."""

    @model_validator(mode="after")
    def _require_price_of_budget(self) -> Self:
        if self.budget is not None and not self.price:
            raise ValueError("a budget is kept by the price of an answer. Set price, the most that one may cost")
        return self

    @classmethod
    def owns(cls, table: dict[str, object]) -> bool:
        return "checkpoint" not in table and "combine" not in table

    @property
    def endpoint(self) -> EndpointEntry:
        """The endpoint by which it is asked, whose price is that of an answer: there are no tokens."""
        return EndpointEntry(
            name=f"{SERVICE_PREFIX}{self.name}",
            base_url=self.url,
            key_from=self.key_from,
            key_header=self.key_header,
            headers=self.headers,
            at_once=self.at_once,
            patience_s=self.patience_s,
            retries=self.retries,
            wait_s=self.wait_s,
            price_answer=self.price,
            budget=self.budget,
        )
