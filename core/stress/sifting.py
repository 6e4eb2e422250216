"""Which variants of a run count: sieves that leave out what a guard, a rule or a person objects to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.errors import UnknownNameError
from core.perturbation import PERTURBATIONS, Intent
from core.stress.records import Meaning, Run, Variant, VariantKey
from core.stress.remarks import OTHERWISE, TRIVIAL

Sieve = Callable[[Run, Variant], bool]
"""Whether a variant is left out."""

_VERIFIED: dict[Intent, frozenset[Meaning]] = {
    "preserving": frozenset({Meaning.KEPT}),
    "breaking": frozenset({Meaning.CHANGED}),
    "gaming": frozenset({Meaning.KEPT, Meaning.CHANGED}),  # a phrase may say something or nothing
}
"""What a person has to say of a variant for it to be what it was meant to be."""


def sifted(run: Run, sieves: Iterable[str]) -> frozenset[VariantKey] | None:
    """The variants that none of these sieves leaves out; None, for all of them, where there is no sieve.

    Raises UnknownNameError for a sieve that does not exist.
    """
    chosen = [_sieve(name) for name in sieves]
    if not chosen:
        return None
    return frozenset(
        key for key, variant in run.variants.items() if not any(objects(run, variant) for objects in chosen)
    )


def left_out(run: Run, sieve: str) -> int:
    """How many of the variants that were made a sieve leaves out."""
    made = [variant for variant in run.variants.values() if variant.summary is not None]
    return sum(_sieve(sieve)(run, variant) for variant in made)


def _sieve(name: str) -> Sieve:
    if name not in SIEVES:
        raise UnknownNameError("sieve", name, SIEVES)
    return SIEVES[name]


def _marked(run: Run, variant: Variant) -> bool:
    check = run.checks.get((variant.source, variant.kind))
    return check is not None and check.mark is not None and check.mark.contradicts


def _unmarked(run: Run, variant: Variant) -> bool:
    return variant.kind in run.plan.guarded and not run.has_mark(variant.source, variant.kind)


def _unverified(run: Run, variant: Variant) -> bool:
    opinion = run.opinions.get((variant.source, variant.kind))
    return opinion is None or opinion.meaning not in _VERIFIED[PERTURBATIONS.parse(variant.kind).card.intent]


def _is_trivial(run: Run, variant: Variant) -> bool:  # noqa: ARG001  # the signature of every sieve
    return any(remark.startswith(TRIVIAL) for remark in variant.remarks)


def _from_elsewhere(run: Run, variant: Variant) -> bool:  # noqa: ARG001  # the signature of every sieve
    return any(remark.startswith(OTHERWISE) for remark in variant.remarks)


SIEVES: dict[str, Sieve] = {
    "contradicting": _marked,
    "unchecked": _unmarked,
    "unverified": _unverified,
    "trivial": _is_trivial,
    "misplaced": _from_elsewhere,
}
"""Left out: what the guard marked, what it could not tell, what no person found to be as meant, edits that need no reading
of the document, and words that come from elsewhere than intended."""
