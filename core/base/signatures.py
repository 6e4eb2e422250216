"""A signature taken apart, and the parts in which two differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from core.base.code_version import CodeParts

CODE_MARK = "code:"
_VERSION_MARK = "touchstone:"  # signatures named the version until 0.2


def apart_from_code(signature: str) -> str:
    """The signature without the hash of the code: that of all scores which the same metric gave in other versions, too."""
    return "|".join(part for part in signature.split("|") if not part.startswith((CODE_MARK, _VERSION_MARK)))


def code_of_signature(signature: str) -> str:
    """The hash of the code in a signature; empty in an older one that has none."""
    return next((part.removeprefix(CODE_MARK) for part in signature.split("|") if part.startswith(CODE_MARK)), "")


def signature_parts(signature: str) -> dict[str, str]:
    """The parts by name, as {"metric": "rouge2", "measured": "f1", …}; a part without a name, as a prompt's, is its own name."""
    metric, *rest = signature.split("|")
    return {"metric": metric, **{name: value for part in rest for name, _, value in [part.partition(":")]}}


def signature_differences(first: str, second: str) -> Iterator[str]:
    """A phrase for each named part in which two signatures differ, as "measured: precision → f1"."""
    yield from _differences(signature_parts(first), signature_parts(second))


def explain_signatures(first: str, second: str, read_code: Callable[[str], CodeParts | None]) -> Iterator[str]:
    """Lines on what differs between two signatures; of the code definition by definition where `read_code` knows the hashes."""
    if first == second:
        yield "The signatures are the same: the same settings, weights, prompts, code and libraries."
        return
    yield from signature_differences(first, second)
    hashes = code_of_signature(first), code_of_signature(second)
    if hashes[0] == hashes[1]:
        return
    before, after = (read_code(hash) for hash in hashes)
    for hash, parts in zip(hashes, (before, after), strict=True):
        if parts is None:
            yield (
                f"  The parts of code {hash} are recorded neither in the cache folder nor in the database: that score was "
                "made on another machine. Set TOUCHSTONE_DATABASE_URL to the database that it was saved in."
                if hash
                else "  One signature is of a version that did not sign its code."
            )
    if before is not None and after is not None:
        yield from (f"  {line}" for line in _differences(before, after))


def describe_code(parts: CodeParts) -> Iterator[str]:
    """A line for each definition, data file and library, with the digits of its SHA-256 or its version."""
    width = max(map(len, parts), default=0)
    yield from (f"{name:{width}}  {value}" for name, value in sorted(parts.items()))


def _differences(first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*first, *second]):
        before, after = first.get(name), second.get(name)
        if before != after:
            yield f"{name}: {'absent' if before is None else before or 'there'} → {'absent' if after is None else after or 'there'}"
