"""What the error types of BUMP (Ma et al. 2023, table 1) mean, for people who write or name errors."""

from __future__ import annotations

from collections.abc import Mapping

from core.types import ErrorType

MEANS: Mapping[str, str] = {
    ErrorType.INTRINSIC_PREDICATE: "A wrong relation between things of the document.",
    ErrorType.EXTRINSIC_PREDICATE: "A relation that the document does not mention.",
    ErrorType.INTRINSIC_ENTITY: "A thing of the document in a place where another belongs.",
    ErrorType.EXTRINSIC_ENTITY: "A thing that the document does not mention.",
    ErrorType.INTRINSIC_CIRCUMSTANCE: "A time, place or manner of the document, used wrongly.",
    ErrorType.EXTRINSIC_CIRCUMSTANCE: "A time, place or manner that the document does not mention.",
    ErrorType.COREFERENCE: "A pronoun or name that points to the wrong thing or to none.",
}
