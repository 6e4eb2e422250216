"""A mypy plugin: the built-in sum over floats is an error, since its last digit depends on the version of Python."""

from __future__ import annotations

from collections.abc import Callable

from mypy.maptype import map_instance_to_supertype
from mypy.plugin import FunctionSigContext, Plugin
from mypy.typeops import tuple_fallback
from mypy.types import AnyType, FunctionLike, Instance, ProperType, TupleType, TypeOfAny, UnionType, get_proper_type

MESSAGE = "From Python 3.12 on the built-in sum adds floats in another way. Take math.fsum, or say that these are whole numbers."


class FloatSums(Plugin):
    """Looks at what each call of `sum` adds."""

    def get_function_signature_hook(self, fullname: str) -> Callable[[FunctionSigContext], FunctionLike] | None:
        return _check if fullname == "builtins.sum" else None


def _check(context: FunctionSigContext) -> FunctionLike:
    argument = get_proper_type(context.api.get_expression_type(context.args[0][0]))
    if isinstance(argument, TupleType):
        argument = tuple_fallback(argument)
    iterable = context.api.named_generic_type("typing.Iterable", [AnyType(TypeOfAny.special_form)]).type
    item = map_instance_to_supertype(argument, iterable).args[0] if isinstance(argument, Instance) else argument
    if _may_be_float(get_proper_type(item)):
        context.api.fail(MESSAGE, context.context)
    return context.default_signature


def _may_be_float(item: ProperType) -> bool:
    if isinstance(item, UnionType):
        return any(_may_be_float(get_proper_type(part)) for part in item.items)
    if isinstance(item, AnyType):
        # a lambda is looked at before its argument has a type, and then again
        return (item.source_any or item).type_of_any not in {TypeOfAny.special_form, TypeOfAny.unannotated}
    return isinstance(item, Instance) and item.type.fullname == "builtins.float"


def plugin(version: str) -> type[FloatSums]:  # noqa: ARG001  # mypy passes its own
    """The plugin, for any version of mypy."""
    return FloatSums
