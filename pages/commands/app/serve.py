"""`cli.py serve`."""

from __future__ import annotations

from contextlib import closing
from ipaddress import ip_address
from typing import Annotated, Literal

import typer

from core.errors import BadSettingError
from core.scoring import METRICS, Engine
from core.settings import Settings, secret
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption

LikeForm = Literal["vllm-score", "vllm-rerank", "tei-rerank", "tei-predict"]
EXAMPLE = "python cli.py serve --metric rouge2"


def command(
    metric: Annotated[
        list[str], typer.Option(help="name or name[setting=value,…]; may be repeated. The first is the default.")
    ],
    host: Annotated[
        str, typer.Option(help="The address to listen at; others than this machine need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8800,
    token_from: Annotated[
        str, typer.Option(help="The variable, of the environment or .env, with the token that who asks must send.")
    ] = "",
    like: Annotated[
        LikeForm | None,
        typer.Option(
            help="Answer in the form of another server too: the score and rerank paths of vLLM, or those of TEI."
        ),
    ] = None,
    timeout_s: Annotated[float, typer.Option(min=1, help="Seconds until a request is given up.")] = 120.0,
    at_once: Annotated[int, typer.Option(min=1, help="Requests that are answered at the same time.")] = 8,
    device: DeviceOption = None,
) -> None:
    """Serve scores of metrics over HTTP, until Ctrl+C: POST /score with document and summary, or a batch of them."""
    import uvicorn

    from pages.server.score_forms import SCORE_FORMS
    from pages.server.score_service import ScoreService

    form = SCORE_FORMS[like] if like else None
    token = secret(token_from).get_secret_value() if token_from else ""
    if token_from and not token:
        raise BadSettingError(
            f"--token-from names {token_from}, which is not set. Set it in the environment or in .env."
        )
    try:
        is_this_machine = ip_address(host).is_loopback
    except ValueError:
        is_this_machine = host == "localhost"
    if not token and not is_this_machine:
        raise BadSettingError(f"Others can reach {host}. Put a token into a variable and name it: --token-from NAME.")
    metrics = [METRICS.parse(spec) for spec in metric]
    with closing(Engine.open(Settings.read().on(device))) as engine:
        print_status(
            f"http://{host}:{port}/score answers for {', '.join(parsed.spec for parsed in metrics)}; http://{host}:{port}/ describes it."
        )
        if form:
            print_status(f"As {like}: {', '.join(f'http://{host}:{port}{path}' for path in form.paths)}.")
        service = ScoreService(engine, metrics, token, form, timeout_s, at_once)
        uvicorn.run(service.app(), host=host, port=port, log_level="warning")
