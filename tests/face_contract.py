"""A contract of import-linter: whoever is outside a wing imports from the wing itself, not from the modules inside it."""

from __future__ import annotations

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class FaceContract(Contract):
    """Wings with the modules in them that others may use as a namespace."""

    type_name = "face"
    wings = fields.ListField(subfield=fields.StringField())
    namespaces = fields.ListField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002  # import-linter's
        wings: list[str] = self.wings  # type: ignore[assignment]  # the field becomes its value
        allowed: set[str] = set(self.namespaces or ())  # type: ignore[call-overload]  # as above
        entered = [
            (importer, module)
            for wing in wings
            for module in graph.find_descendants(wing) - allowed
            for importer in graph.find_modules_that_directly_import(module)
            if importer != wing and not importer.startswith(f"{wing}.")
        ]
        return ContractCheck(kept=not entered, metadata={"entered": sorted(entered)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        entered: Any = check.metadata["entered"]
        for importer, module in entered:
            wing = ".".join(module.split(".")[:2])
            output.print_error(
                f"{importer} imports {module}: import from {wing}, whose __init__.py lists it.", bold=False
            )
