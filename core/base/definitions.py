"""The definitions of a source file: of each a hash of its parsed form, and what it refers to.

The form leaves out what moves no number: comments, docstrings, annotations, imports, logging, and what is raised. A global
name is left out of it too and listed as a reference, so that it stays the same where the name comes from another module.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from core.base.faces import parse_expression, parse_source

HASH_DIGITS = 12

_UNCOUNTED_FIELDS = frozenset(
    {"annotation", "returns", "type_params", "type_comment", "kind", "ctx", "msg", "decorator_list"}
)
_MEMOIZERS = frozenset({"cache", "lru_cache", "memoize"})  # a result that is remembered is the same result
_REGISTERS = "add"  # the method of a registry that decorates its plugins
_LOG_CALLS = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
_LOGGERS = frozenset({"log", "logger", "logging", "warnings"})
_RECORD_BASES = frozenset(
    {"ABC", "NamedTuple", "TypedDict", "Protocol", "Enum", "StrEnum", "IntEnum", "BaseModel", "Generic"}
)
_CARD_TEXTS = frozenset(
    {"title", "family", "measures", "paper", "url", "download_mb", "differs", "memory_mb", "licence", "archives"}
)
_FILE_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_SUFFIX = re.compile(r"(?:\.\w+)+")
_MOST_CHARACTERS = 80  # of a literal that may be the name of a file
# what .ci/wheel.py renames in messages: both forms have one hash
_COMMAND = re.compile(r"(?:python )?\bcli\.py (?=[a-z])|\btouchstone (?=[a-z])")


class Scope(dict[str, str]):
    """Names that are bound inside a function: an import as `module:name`, anything else as "".

    A variable counts by its place in the order of first uses: what it is called moves no number. A parameter, which callers may
    name, counts by its name.
    """

    def __init__(self, names: Mapping[str, str], variables: Iterable[str] = ()) -> None:
        super().__init__(names)
        self._variables = frozenset(variables)
        self._places: dict[str, int] = {}

    def place_of(self, name: str) -> int | None:
        """The place of a variable among those of this scope; None for a name that counts as it is."""
        return self._places.setdefault(name, len(self._places)) if name in self._variables else None


@dataclass(slots=True)
class Definition:
    """A function, constant, or class, or a member of a class."""

    form: str = ""
    """Hash of its parsed form."""
    references: list[str] = field(default_factory=list)
    """Global names in the order of the form, with the attributes behind each: `name.attribute` of this module, `module:name` of an import."""
    types: list[str] = field(default_factory=list)
    """Global names in annotations, which the form leaves out."""
    attributes: list[str] = field(default_factory=list)
    """Names behind a dot and in strings."""
    literals: list[str] = field(default_factory=list)
    """Strings that may name a file."""
    suffixes: list[str] = field(default_factory=list)
    """Ends of names of files that are put together."""
    bases: list[str] | None = None
    """Bases of a class; None for anything else."""
    members: list[str] = field(default_factory=list)
    """Names of the members of a class."""
    is_record: bool = False
    """True for a dataclass, an abstract class or an enum, of which only the named members count."""


@dataclass(slots=True)
class SourceFile:
    """The definitions and imports in the text of a module. A module that is imported whole is `module:`, a name from it `module:name`."""

    definitions: dict[str, Definition]
    imports: dict[str, str]
    stars: list[str]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> SourceFile:
        definitions = {name: Definition(**fields) for name, fields in record["definitions"].items()}
        return cls(definitions, record["imports"], record["stars"])


EFFECTS = ""
"""Name of the definition that holds the statements of a module which define nothing."""


def read_definitions(text: str) -> SourceFile:
    """Parse the text of a module. Raises SyntaxError."""
    module = parse_source(text)
    imports: dict[str, str] = {}
    stars: list[str] = []
    statements: defaultdict[str, list[ast.stmt]] = defaultdict(list)
    for statement in _statements(module.body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imports |= _bound_imports(statement)
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                stars.append(_module_of(statement))
        else:
            for name in _defined_names(statement):
                statements[name].append(statement)
    definitions: dict[str, Definition] = {}
    for name, defining in statements.items():
        if isinstance(defining[-1], ast.ClassDef):
            definitions |= _read_class(defining[-1], imports)
        else:
            definitions[name] = _Reader(imports).read(defining)
    return SourceFile(definitions, imports, stars)


def hash_of(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:HASH_DIGITS]


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, of both branches of a condition; those that only a type checker or a script runs, without."""
    for statement in body:
        if isinstance(statement, ast.If):
            test = ast.unparse(statement.test)
            imported = "TYPE_CHECKING" in test
            if "__name__" not in test:
                yield from (inner for inner in _statements(statement.body) if not imported or _is_import(inner))
            yield from _statements(statement.orelse)
        elif isinstance(statement, ast.Try):
            handlers = [inner for handler in statement.handlers for inner in handler.body]
            yield from _statements([*statement.body, *handlers, *statement.orelse, *statement.finalbody])
        elif not _is_text(statement):
            yield statement


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _defined_names(statement: ast.stmt) -> Sequence[str]:
    """The names that a statement of a module defines or changes; EFFECTS where it is run for something else."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (statement.name,)
    if isinstance(statement, ast.TypeAlias if hasattr(ast, "TypeAlias") else ()):
        return ()
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        named = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        return [name for name in named if name != "__all__"]
    return (EFFECTS,)


def _module_of(statement: ast.ImportFrom) -> str:
    return "." * statement.level + (statement.module or "")


def _bound_imports(statement: ast.Import | ast.ImportFrom) -> dict[str, str]:
    if isinstance(statement, ast.ImportFrom):
        return {alias.asname or alias.name: f"{_module_of(statement)}:{alias.name}" for alias in statement.names}
    return {
        alias.asname or alias.name.partition(".")[0]: f"{alias.name if alias.asname else alias.name.partition('.')[0]}:"
        for alias in statement.names
    }


def _read_class(defined: ast.ClassDef, imports: dict[str, str]) -> dict[str, Definition]:
    """The definition of a class, and those of its members as `Class.member`."""
    members: defaultdict[str, list[ast.stmt]] = defaultdict(list)
    for statement in _statements(defined.body):
        if not _is_import(statement):
            for name in _defined_names(statement):
                members[name].append(statement)
    siblings = Scope(dict.fromkeys(members, ""))
    head = _Reader(imports).read_class(defined)
    head.members = list(members)
    read = {defined.name: head}
    for name, statements in members.items():
        read[f"{defined.name}.{name}"] = _Reader(imports, [siblings]).read(statements)
    return read


class _Reader:
    """Writes the form of statements and lists what they refer to."""

    def __init__(self, imports: dict[str, str], scopes: Sequence[Scope] = ()) -> None:
        self._imports = imports
        self._scopes = list(scopes)
        self._class_scopes = len(self._scopes)  # a function does not see the names of its class
        self._written: list[str] = []
        self._definition = Definition()
        self._attributes: dict[str, None] = {}
        self._literals: dict[str, None] = {}

    def read(self, statements: Iterable[ast.stmt]) -> Definition:
        self._write_body(statements)
        return self._end()

    def read_class(self, defined: ast.ClassDef) -> Definition:
        """The definition of a class without its members."""
        decorators = [ast.unparse(decorator) for decorator in defined.decorator_list]
        self._write_decorators(defined.decorator_list)
        for base in [*defined.bases, *(keyword.value for keyword in defined.keywords)]:
            self._write(base)
        plain = [base.value if isinstance(base, ast.Subscript) else base for base in defined.bases]
        named = {ast.unparse(base).rpartition(".")[2] for base in plain}
        definition = self._end()
        definition.bases = [chain[0] for base in plain if (chain := self._chain(base))]
        definition.is_record = bool(named & _RECORD_BASES) or any(
            "dataclass" in decorator.partition("(")[0] for decorator in decorators
        )
        return definition

    def _end(self) -> Definition:
        definition = self._definition
        definition.form = hash_of("".join(self._written))
        definition.attributes, definition.literals = list(self._attributes), list(self._literals)
        return definition

    def _write_body(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            if not (
                _is_text(statement)
                or _is_import(statement)
                or _is_logging(statement)
                or isinstance(statement, ast.Pass)
            ):
                self._write(statement)
                self._written.append(";")

    def _write(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name | ast.Attribute) and self._write_reference(node):
            return
        method = getattr(self, f"_write_{type(node).__name__}", None)
        if method:
            method(node)
        else:
            self._write_fields(node)

    def _write_fields(self, node: ast.AST, without: frozenset[str] = frozenset()) -> None:
        self._written.append(f"{type(node).__name__}(")
        for name in node._fields:
            value = getattr(node, name, None)
            if name in {"annotation", "returns"} and isinstance(value, ast.AST):
                self._read_types(value)
            if value is None or value == [] or name in _UNCOUNTED_FIELDS or name in without:
                continue
            self._written.append(f"{name}=")
            if isinstance(value, list) and isinstance(value[0], ast.stmt):
                self._write_body(value)
            elif isinstance(value, list):
                for part in value:
                    self._write_value(part)
            else:
                self._write_value(value)
        self._written.append(")")

    def _write_value(self, value: object) -> None:
        if isinstance(value, ast.AST):
            self._write(value)
        else:
            self._written.append(f"{value!r} ")

    def _write_reference(self, node: ast.Name | ast.Attribute) -> bool:
        """Write a global name and the attributes behind it as a reference; False where it is none."""
        chain = self._chain(node)
        if isinstance(node, ast.Attribute):
            self._attributes[node.attr] = None
        if chain is None:
            return False
        reference, attributes = chain
        self._attributes |= dict.fromkeys(attributes)
        self._definition.references.append(reference)
        self._written.append("§")
        return True

    def _chain(self, node: ast.expr) -> tuple[str, list[str]] | None:
        """The reference of a name with attributes, and these; None for what does not begin with a global name."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        bound = next((scope[node.id] for scope in reversed(self._scopes) if node.id in scope), None)
        origin = self._imports.get(node.id, node.id) if bound is None else bound
        if not origin:
            return None
        return ".".join([origin, *attributes]).replace(":.", ":"), attributes

    def _read_types(self, annotation: ast.expr | ast.AST) -> None:
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = parse_expression(annotation.value)
            except SyntaxError:
                return
        for node in ast.walk(annotation):
            if isinstance(node, ast.Name | ast.Attribute) and (chain := self._chain(node)):
                self._definition.types.append(chain[0])

    def _write_Name(self, node: ast.Name) -> None:
        depth = next((depth for depth in reversed(range(len(self._scopes))) if node.id in self._scopes[depth]), None)
        place = None if depth is None else self._scopes[depth].place_of(node.id)
        if place is None:
            self._write_fields(node)
        else:
            self._written.append(f"{type(node.ctx).__name__} {depth}.{place} ")

    def _write_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, str):
            if len(value) <= _MOST_CHARACTERS and _FILE_NAME.fullmatch(value):
                self._literals[value] = None
                self._attributes[value] = None  # for getattr
            value = _COMMAND.sub("", value)
        self._written.append(f"{type(value).__name__} {value!r} ")

    def _write_JoinedStr(self, node: ast.JoinedStr) -> None:
        end = node.values[-1] if node.values else None
        if isinstance(end, ast.Constant) and _SUFFIX.fullmatch(str(end.value)):
            self._definition.suffixes.append(str(end.value))
        # some versions of Python 3.12 end a format with an empty text
        values = [part for part in node.values if not (isinstance(part, ast.Constant) and part.value == "")]
        self._write_fields(ast.JoinedStr(values))

    def _write_Nonlocal(self, node: ast.Nonlocal) -> None:  # noqa: ARG002  # the names stand where they are used
        self._written.append("Nonlocal")

    def _write_Raise(self, node: ast.Raise) -> None:  # noqa: ARG002  # a message and its parts move no number
        self._written.append("Raise")

    def _write_Call(self, node: ast.Call) -> None:
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called == "Card":
            facts = [keyword for keyword in node.keywords if keyword.arg not in _CARD_TEXTS]
            node = ast.Call(node.func, node.args, facts)
        match node.args:
            case [ast.Constant(str(module)), *_] if called == "import_module":
                self._definition.references.append(f"{module}:")
        self._attributes |= dict.fromkeys(keyword.arg for keyword in node.keywords if keyword.arg)
        self._write_fields(node)

    def _write_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._write_decorators(node.decorator_list)
        self._write_signature(node.args)
        if node.returns:
            self._read_types(node.returns)
        outside = self._scopes, self._class_scopes
        self._scopes = [*self._scopes[self._class_scopes :], _scope_of(node.args, node.body)]
        self._class_scopes = 0
        self._written.append(f"{type(node).__name__} {node.name!r}:")
        self._write_body(node.body)
        self._scopes, self._class_scopes = outside

    _write_AsyncFunctionDef = _write_FunctionDef

    def _write_Lambda(self, node: ast.Lambda) -> None:
        self._write_signature(node.args)
        self._scopes.append(_scope_of(node.args, [ast.Expr(node.body)]))
        self._written.append("Lambda ")
        self._write(node.body)
        self._scopes.pop()

    def _write_ClassDef(self, node: ast.ClassDef) -> None:
        self._write_decorators(node.decorator_list)
        self._write_fields(node)

    def _write_signature(self, arguments: ast.arguments) -> None:
        self._write(arguments)  # defaults are evaluated outside

    def _write_decorators(self, decorators: Iterable[ast.expr]) -> None:
        for decorator in decorators:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name == "cached_property":
                self._written.append("@property ")
            elif name not in _MEMOIZERS and name != _REGISTERS:
                self._written.append("@")
                self._write(decorator)

    def _write_comprehension_of(self, node: ast.AST) -> None:
        generators: list[ast.comprehension] = getattr(node, "generators")  # noqa: B009  # of four classes
        targets = list(_stored_names(generator.target for generator in generators))
        self._scopes.append(Scope(dict.fromkeys(targets, ""), targets))
        self._write_fields(node)
        self._scopes.pop()

    _write_ListComp = _write_SetComp = _write_DictComp = _write_GeneratorExp = _write_comprehension_of


def _is_logging(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), called))):
            return called in _LOG_CALLS and name.strip("_").lower() in _LOGGERS
    return False


def _stored_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    return (inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _scope_of(arguments: ast.arguments, body: Sequence[ast.AST]) -> Scope:
    """The names that a function binds, without those that functions, classes and comprehensions inside it bind."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    scope = {argument.arg: "" for argument in every if argument}
    named = set(scope)
    variables: set[str] = set()
    elsewhere: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                scope[name] = ""
                named.add(name)
                continue
            case ast.Import() | ast.ImportFrom():
                scope |= (imports := _bound_imports(node))
                named |= imports.keys()
            case ast.Name(name, ast.Store() | ast.Del()):
                scope.setdefault(name, "")
                variables.add(name)
            case ast.ExceptHandler(_, str(name)) | ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                scope[name] = ""
                named.add(name)
            case ast.MatchMapping(rest=str(name)):
                scope[name] = ""
                named.add(name)
            case ast.Global(names) | ast.Nonlocal(names):
                elsewhere.update(names)
            case ast.Lambda():
                continue
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                walrus = [inner.target.id for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)]
                scope |= dict.fromkeys(walrus, "")
                variables.update(walrus)
                continue
        waiting += ast.iter_child_nodes(node)
    return Scope({name: origin for name, origin in scope.items() if name not in elsewhere}, variables - named)
