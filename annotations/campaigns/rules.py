"""The rules of a campaign: how many labels an item gets, who may label, and what is mixed in unseen."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from annotations.errors import RecordError


class Rules(BaseModel):
    """How items are handed out.

    `overlap` people label an item; a reservation is void after `expires_minutes`. Two versions of one pair are `apart`
    items from each other, or `apart_minutes`. `pass_right` answers of the qualification must be right to go on; 0 lets
    everybody in. Of every `gold_every` items one has a known answer, of every `repeat_every` one was had before; 0: none.
    `reveal` shows the scores after a label and asks for a second one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    overlap: int = Field(2, ge=1, le=20)
    expires_minutes: int = Field(60, ge=1, le=60 * 24 * 30)
    apart: int = Field(5, ge=0, le=50)
    apart_minutes: int = Field(60, ge=0, le=60 * 24 * 30)
    pass_right: int = Field(0, ge=0)
    gold_every: int = Field(0, ge=0)
    repeat_every: int = Field(0, ge=0)
    reveal: bool = False
    seed: int = Field(0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _leave_work(self) -> Self:
        if 1 in (self.gold_every, self.repeat_every):
            raise ValueError("gold_every and repeat_every are 0 or at least 2: something must be left to label")
        return self


def read_rules(text: str) -> Rules:
    """The rules of a JSON text. Raises RecordError with the field and what is wrong with it."""
    try:
        return Rules.model_validate_json(text)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'rules'}: {one['msg']}" for one in error.errors())
        raise RecordError(f"The rules cannot be used: {wrong}.") from None
