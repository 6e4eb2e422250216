"""Services that score, as a file of metrics declares them: `[name]` with the `url` that is asked."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from core.base.metric_tables import MetricEntry
from core.models.llm.endpoints.endpoints_file import EndpointEntry

SERVICE_PREFIX = "service."
"""Begins the name of the endpoint of a service, so that it is that of no language model."""


class ServiceEntry(MetricEntry):
    """One table: where the service is, with its limits, price, budget and key as of an endpoint, and how its score is to be read."""

    hint: ClassVar[str] = "A key is named by key_from."

    url: str
    low: float | None = 0.0
    high: float | None = 1.0
    direction: Literal["higher", "lower", "neutral"] = "higher"
    metric: str = ""
    key_from: str = Field("", pattern=r"^\w*$")
    key_header: str = Field("", pattern=r"^[\w-]*$")
    headers: dict[str, str] = Field(default_factory=dict)
    at_once: int = Field(8, ge=1, le=256)
    patience_s: float = Field(60.0, gt=0)
    retries: int = Field(2, ge=0, le=20)
    price: float = Field(0.0, ge=0)
    budget: float | None = Field(None, ge=0)

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
            price_answer=self.price,
            budget=self.budget,
        )
