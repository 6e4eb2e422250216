"""The tools and documents that agents are given by the Model Context Protocol: thin calls of what Python and the terminal have.

On a shared server each call has the rights of a token of an account, as with the HTTP API; elsewhere those of whoever started it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Required

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resources import FunctionResource
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ConfigDict
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import TypedDict

import touchstone
from annotations.exchange.api_writes import ReadOnlyTokenError
from annotations.exchange.campaign_files import is_campaign_file, is_store_file, one_way_export
from annotations.people.tokens import TokenAccess, WrongTokenError, use_token
from annotations.store.score_writes import format_saved_scores
from annotations.store.store import Store
from core.assessment import download_weights, engine, paid_by, read_pairs
from core.base import is_limited
from core.data import Generic, readable_items, strict_items
from core.edits import named_kinds
from core.errors import TouchstoneError
from core.evaluation import (
    ExplainMode,
    explain_all,
    explanation_record,
    explanation_signature,
    report_record,
    summaries_with_edits,
)
from core.model_reference import EndpointModel, ModelRef, asks_endpoint
from core.models import Sampling, configured_endpoint, fetch_released_dataset, resolve_model
from core.registry import format_spec
from core.scoring import METRICS, JsonRecord
from core.settings import VERSION
from pages.commands.shared.importing import (
    dataset_source,
    import_dataset,
    import_sentences,
    importer_by_content,
    open_importer,
)
from pages.commands.shared.text_scoring import score_dataset
from pages.server.api_routes import MOST_BODY_BYTES
from pages.server.docs_pages import DOCS, page_names, read_contents

_MOST_PAIRS = 1_000
_STUDY_ARGUMENTS = inspect.signature(touchstone.study).parameters.keys() - {"settings"}
_ABOUT = (
    "Touchstone scores summaries against their documents by factual-consistency metrics, perturbs them, explains them, and "
    "studies the metrics. Read touchstone://docs/llms.txt first: it lists the documents."
)


class AgentPair(TypedDict, total=False):
    """A document and its summary, as a line of pairs.jsonl (touchstone://docs/reference/file-formats); other fields are those of a line."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]  # where pydantic looks for it

    id: str
    document: Required[str]
    summary: Required[str]
    question: str
    edited: str
    label: str


class AgentTools:
    """The tools, as methods. `store` is that of a shared server, None elsewhere; `token` is for calls that bring none, as over stdio."""

    def __init__(self, store: Store | None, token: str = "") -> None:
        self._store, self._token = store, token

    def score(
        self, context: Context, metrics: list[str], pairs: list[AgentPair] | None = None, dataset: str = ""
    ) -> dict[str, Any]:
        """Score each pair, or all texts of an imported dataset, with each metric, a spec as `rouge2` or `name[setting=value,…]`.

        The metrics are those of touchstone://docs/reference/metrics. Pairs give a record for each metric: score in the metric's range,
        its sentences with evidence, and the signature; where there is none, score is null and error says why. Scores of a dataset are
        saved beside it, for `study`.
        """
        if not metrics:
            raise TouchstoneError(
                "Name a metric or several, as rouge2: touchstone://docs/reference/metrics lists them."
            )
        parsed = [METRICS.parse(spec) for spec in metrics]
        spends = asks_endpoint([model for metric in parsed for model in metric.checkpoints()])
        payer = self._authorise(context, writes=bool(dataset), spends=spends, datasets=bool(dataset))
        if bool(pairs) == bool(dataset):
            raise TouchstoneError("Send pairs, or name an imported dataset: one of the two.")
        with paid_by(payer):
            if pairs:
                return {"scores": list(touchstone.score(_few(pairs), metrics))}
            saved, failures = score_dataset(engine(), dataset, parsed)
        return {"saved": format_saved_scores(saved), "failed": failures}

    def perturb(
        self, context: Context, pairs: list[AgentPair], kinds: list[str] | None = None, battery: str = "", seed: int = 0
    ) -> dict[str, Any]:
        """Write a variant of each summary for each kind of perturbation (touchstone://docs/reference/perturbations), or those of a battery.

        Gives a record for each: edited, the edits, and the label that it is meant to have; a kind that cannot be applied says why.
        """
        perturbations, _ = named_kinds(kinds or (), battery)
        models = [model for kind in perturbations for model in kind.checkpoints()]
        with paid_by(self._authorise(context, spends=asks_endpoint(models))):
            return {"variants": touchstone.perturb(_few(pairs), kinds or (), battery=battery, seed=seed)}

    def explain(
        self, context: Context, pairs: list[AgentPair], model: str = "", endpoint: str = "", temperature: float = 0.0
    ) -> dict[str, Any]:
        """Have a language model say of each summary whether it is consistent with its document, and why.

        The model is one of an endpoint, by default the first that is set up, or local:FOLDER.
        """
        sampling = Sampling(resolve_model(model, endpoint), temperature, endpoint=endpoint)
        with paid_by(self._authorise(context, spends=asks_endpoint([sampling.asked]))):
            opened, mode = engine(), ExplainMode.DETECT
        if isinstance(sampling.asked, EndpointModel):
            configured_endpoint(endpoint)
        models: list[ModelRef] = [sampling.asked]
        download_weights(opened.pool, models)
        subjects = summaries_with_edits(read_pairs(_few(pairs)))
        by = explanation_signature(mode, sampling)
        records = [
            explanation_record(subject, mode, outcome, by)
            for subject, outcome in explain_all(opened, subjects, mode, sampling)
        ]
        return {"explanations": records}

    def study(  # an argument is one of the tool
        self,
        context: Context,
        name: str,
        datasets: list[str] | None = None,
        pairs: list[AgentPair] | None = None,
        scores: list[dict[str, Any]] | None = None,
        run: str = "",
        metrics: list[str] | None = None,
        by: str = "",
        label_of_1: str = "",
        resamples: int = 0,
        settings: dict[str, str | int | float | bool] | None = None,
    ) -> dict[str, Any]:
        """Run a study (touchstone://docs/reference/studies) on imported datasets, on labelled pairs with the scores of `score`, or on a run.

        `run` is the file of a stress run on this machine, `by` the field of the slices. Gives the settings, the rows of each table, with
        shares in 0..1 and intervals of 95 %, and the sentences of the report.
        """
        # a study that scores texts may ask an endpoint by the metrics that it is given
        models = [model for spec in metrics or () for model in METRICS.parse(spec).checkpoints()]
        payer = self._authorise(context, spends=asks_endpoint(models), datasets=bool(datasets), files=bool(run))
        if taken := sorted({"files", "labels"}.intersection(settings or ())):
            raise TouchstoneError(f"`{taken[0]}` names a file and is no setting of a study. Send pairs and scores.")
        if taken := sorted(_STUDY_ARGUMENTS.intersection(settings or ())):
            raise TouchstoneError(f"`{taken[0]}` is no setting of a study, but an argument beside the settings.")
        with paid_by(payer):
            report = touchstone.study(
                name,
                _few(pairs) if pairs else None,
                scores=scores or (),
                label_of_1=label_of_1,
                dataset=datasets or (),
                run=run or None,
                files=(),
                labels=(),
                metrics=metrics or (),
                by=by or None,
                resamples=resamples or None,
                **(settings or {}),
            )
        # what charts draw stands in the tables
        return {name: part for name, part in report_record(report).items() if name != "charts"}

    def import_(  # as above
        self,
        context: Context,
        importer: str = Generic.name,
        path: str = "",
        content: str = "",
        file_name: str = "",
        name: str = "",
        answers: dict[str, str] | None = None,
        skip_broken: bool = False,
    ) -> dict[str, Any]:
        """Import a file as a dataset: `path` on this machine, or its text as `content` with a `file_name`, as pairs.jsonl or table.csv.

        Without an importer (touchstone://docs/reference/datasets) the content says what it is; one that is named without a file is
        downloaded. `answers` say what a table's columns and labels mean: summary, document, label, label_of_1, vote_of_1, consistent,
        higher, lower. Gives the counts and how the file was read.
        """
        self._authorise(context, writes=True, datasets=True, files=bool(path))
        if path and content:
            raise TouchstoneError("Send path or content, not both: each is the file.")
        sentences: list[str] = []
        with TemporaryDirectory() as folder:
            source = Path(path) if path else None
            if content:
                source = Path(folder, Path(file_name).name or "pairs.jsonl")
                try:
                    source.write_text(content, encoding="utf-8")
                except (OSError, ValueError) as error:
                    raise TouchstoneError(
                        f"The content cannot be a file {file_name[:100]!r}: {error}. Name it as pairs.jsonl or table.csv."
                    ) from error
            answers = {question: answer for question, answer in (answers or {}).items() if answer}
            if importer == Generic.name:
                importer = _importer_of(source, answers, sentences)
            reader = open_importer(importer, answers)
            place = source or fetch_released_dataset(reader)
            spec = format_spec(reader) if answers else importer
            called = name or (source.stem if source and importer == Generic.name else "")
            origin = dataset_source(reader, spec, place, source.name if source else "", called, None)
            read_items = readable_items if skip_broken else strict_items
            counts, imported = import_dataset(reader, place, origin, read_items, sentences.append)
        counts.pop(
            "reading", None
        )  # it lists each word that a label may be; of what comes with Touchstone there is none
        return {**counts, "sentences": [*sentences, *import_sentences(imported)]}

    def access(self, token: str) -> TokenAccess | None:
        """Access of a token, None where nobody signs in. Raises WrongTokenError for one that is not valid."""
        return use_token(self._store, token) if self._store else None

    def _authorise(
        self,
        context: Context,
        *,
        writes: bool = False,
        spends: bool = False,
        datasets: bool = False,
        files: bool = False,
    ) -> str:
        """The person who pays what the call asks, "" where nobody signs in. Raises RightsError where its token does not allow it."""
        access = self.access(_bearer(context.headers or {}) or self._token)
        if files and (access or is_limited()):  # a demo has guests without tokens
            raise ReadOnlyTokenError(
                "People share this server, and a file of its disk may not be named. Send its content."
            )
        if access is None:
            return ""
        if (writes or spends) and not access.writes:
            does = "asks an endpoint, which may cost money" if spends else "writes to the database"
            raise ReadOnlyTokenError(f"This {does}, and this token only reads. Ask a manager for one that writes.")
        if datasets and access.campaigns:
            raise ReadOnlyTokenError("This token is for some campaigns. Ask a manager for one for all of them.")
        return access.owner


def agent_server(tools: AgentTools) -> MCPServer:
    """The server with a tool for each method and a resource for each document."""
    methods: dict[str, Callable[..., dict[str, Any]]] = {"import": tools.import_}
    methods |= {method.__name__: method for method in (tools.score, tools.perturb, tools.explain, tools.study)}
    server: MCPServer = MCPServer(
        "touchstone",
        title="Touchstone",
        version=VERSION,
        instructions=_ABOUT,
        tools=[_strict_tool(name, method) for name, method in methods.items()],
        log_level="WARNING",
    )
    titles = {page: title for chapters in read_contents().values() for page, title in chapters.items()}
    for page in page_names():
        server.add_resource(
            _document(f"{page}.md", f"touchstone://docs/{page}", titles.get(page, page), "text/markdown")
        )
    server.add_resource(_document("llms.txt", "touchstone://docs/llms.txt", "List of the documents", "text/plain"))
    return server


def agent_app(tools: AgentTools, host: str) -> ASGIApp:
    """The server over HTTP at /mcp. On a shared one a request without a valid token learns nothing else."""
    served = agent_server(tools).streamable_http_app(host=host, max_request_body_size=MOST_BODY_BYTES)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await run_in_threadpool(tools.access, _bearer(Headers(scope=scope)))
            except WrongTokenError as error:
                refusal = JSONResponse({"problem": str(error)}, 401, {"WWW-Authenticate": "Bearer"})
                await refusal(scope, receive, send)
                return
        await served(scope, receive, send)

    return app


def _bearer(headers: Mapping[str, str]) -> str:
    """The token of a request, "" where there is none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _document(file: str, uri: str, title: str, kind: str) -> FunctionResource:
    read = functools.partial((DOCS / file).read_text, encoding="utf-8")
    return FunctionResource(uri=uri, name=file, title=title, mime_type=kind, fn=read)


def _strict_tool(name: str, method: Callable[..., dict[str, Any]]) -> Tool:
    """The tool of a method: an argument that it does not have is refused, and its errors reach the agent as their sentences."""

    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> dict[str, Any]:
        try:
            return method(*arguments, **named)
        except TouchstoneError as error:
            raise ToolError(str(error)) from error

    hints = ToolAnnotations(read_only_hint=name != "import", destructive_hint=False, open_world_hint=name == "explain")
    tool = Tool.from_function(call, name=name, description=inspect.getdoc(method), annotations=hints)
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    return tool.model_copy(update={"parameters": arguments.model_json_schema(by_alias=True)})


def _importer_of(source: Path | None, answers: dict[str, str], sentences: list[str]) -> str:
    """The importer that the content of a file calls for. Raises TouchstoneError without a file, and for one that is no dataset."""
    if source is None:
        raise TouchstoneError("Name an importer, or send a file as path or as content.")
    if is_campaign_file(source) or is_store_file(source):
        raise TouchstoneError(f"{source.name} is an export of a campaign or a database: cli.py import {source.name}")
    if sentence := one_way_export(source):
        raise TouchstoneError(sentence)
    return importer_by_content(source, answers, sentences.append)


def _few(pairs: Sequence[AgentPair]) -> Iterable[JsonRecord]:
    if len(pairs) > _MOST_PAIRS:
        raise TouchstoneError(
            f"{len(pairs):,} pairs were sent, and a call takes {_MOST_PAIRS:,}. Import more as a dataset."
        )
    return [dict(pair) for pair in pairs]
