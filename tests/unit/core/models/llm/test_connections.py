"""Where questions and keys go when a server redirects, and what is said of a server that cannot be reached."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import EndpointUnusableError, TouchstoneError
from core.models.llm.chat import Sampling
from core.models.llm.client.client import EndpointClient
from core.models.llm.endpoints.apis import DIALECTS
from core.models.llm.endpoints.endpoint import Endpoint
from tests.unit.core.models.llm.scripted import Reply, listing, refusal, serving, text

KEY = "sk-a-secret-of-nobody"
SECRETS = {"key_header": "api-key", "headers": (("X-Team", "a-secret-of-the-team"),)}


def ask(endpoint: Endpoint) -> str:
    return EndpointClient(endpoint).chat(("Judge.", "Is it?"), Sampling("m"), "").text


def moved(url: str, status: int) -> Reply:
    return Reply(status=status, headers={"Location": url})


@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize("options", [{}, SECRETS], ids=["bearer", "headers"])
def test_a_redirect_to_another_server_carries_the_question_and_no_secret(
    status: int, options: dict[str, object]
) -> None:
    with serving(lambda _path, _body: text("Yes.")) as other:
        to = f"{other.url}/chat/completions"
        with serving(lambda _path, _body: moved(to, status)) as endpoint:
            assert ask(Endpoint(endpoint.url, KEY, **options)) == "Yes."  # type: ignore[arg-type]  # of several types
    [(_, body)] = other.asked
    assert body["messages"][1]["content"] == "Is it?"
    assert KEY in str(dict(endpoint.headers[0].items()))
    assert KEY not in str(dict(other.headers[0].items()))
    assert "a-secret-of-the-team" not in str(dict(other.headers[0].items()))


def test_a_redirect_within_a_server_keeps_the_key() -> None:
    def reply(path: str, _body: object) -> Reply:
        return text("Yes.") if path.startswith("/new") else moved("/new/chat/completions", 308)

    with serving(reply) as endpoint:
        assert ask(Endpoint(endpoint.url, KEY)) == "Yes."
    assert endpoint.keys == [f"Bearer {KEY}"] * 2


def test_another_server_that_wants_a_key_is_named() -> None:
    with serving(lambda _path, _body: refusal(401, "who?")) as other:
        to = f"{other.url}/chat/completions"
        with (
            serving(lambda _path, _body: moved(to, 307)) as endpoint,
            pytest.raises(TouchstoneError, match=r"redirects to 127\.0\.0\.1, which gets no key.*“who\?”.*BASE_URL"),
        ):
            ask(Endpoint(endpoint.url, KEY))


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_that_would_lose_the_question_is_refused_with_the_new_address(status: int) -> None:
    reply = moved("https://new.example/v2/chat/completions?token=sesame", status)
    with serving(lambda _path, _body: reply) as endpoint, pytest.raises(EndpointUnusableError) as raised:
        ask(Endpoint(endpoint.url, KEY))
    assert "Set TOUCHSTONE_LLM_BASE_URL to https://new.example/v2." in str(raised.value)
    assert "sesame" not in str(raised.value)
    assert len(endpoint.asked) == 1


def test_a_list_of_models_may_move() -> None:
    def reply(path: str, _body: object) -> Reply:
        return listing("m") if path == "/v2/models" else moved("/v2/models", 301)

    with serving(reply) as endpoint:
        assert EndpointClient(Endpoint(endpoint.url, KEY)).models() == ["m"]


def test_a_name_that_dns_does_not_know_is_said() -> None:
    with pytest.raises(
        EndpointUnusableError, match=r"No server is named nowhere\.invalid.*DNS.*TOUCHSTONE_LLM_BASE_URL"
    ):
        ask(Endpoint("http://nowhere.invalid/v1", KEY, retries=0))


def test_a_proxy_that_is_not_there_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: Reply()) as gone:
        port = gone.url.rsplit(":", 1)[1].split("/")[0]
    monkeypatch.setenv("HTTP_PROXY", f"http://ana:sesame@127.0.0.1:{port}")
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(EndpointUnusableError) as raised:
        ask(Endpoint("http://judge.example/v1", KEY, retries=0))
    assert f"through the proxy http://127.0.0.1:{port}" in str(raised.value)
    assert "NO_PROXY=judge.example" in str(raised.value)
    assert "sesame" not in str(raised.value)


def test_a_server_without_tls_is_told_from_a_wrong_certificate() -> None:
    with serving(lambda _path, _body: Reply()) as endpoint, pytest.raises(EndpointUnusableError) as raised:
        ask(Endpoint(endpoint.url.replace("http://", "https://"), KEY, retries=0))
    assert "it does not speak TLS at this port. Set TOUCHSTONE_LLM_BASE_URL to http://" in str(raised.value)


@pytest.mark.parametrize(
    "reply",
    [
        refusal(404, "Not Found"),
        Reply(raw=b"<html>A page", headers={"Content-Type": "text/html"}),
        Reply({"detail": "Method Not Allowed"}, 405),
    ],
    ids=["404", "page", "405"],
)
def test_an_address_without_a_version_is_said(reply: Reply) -> None:
    with serving(lambda _path, _body: reply) as endpoint:
        root = endpoint.url.removesuffix("/v1")
        with pytest.raises(TouchstoneError) as raised:
            ask(Endpoint(root, KEY))
        assert f"It has no /v1 at its end, as most have: {root}/v1." in str(raised.value)
        with pytest.raises(TouchstoneError) as plain:
            ask(Endpoint(endpoint.url, KEY))
    assert "as most have" not in str(plain.value)


_OPERATORS = {
    "OPENAI_API_KEY": "sk-of-the-operator",
    "OPENAI_ADMIN_KEY": "sk-admin-of-the-operator",
    "OPENAI_ORG_ID": "org-of-the-operator",
    "OPENAI_PROJECT_ID": "proj-of-the-operator",
    "OPENAI_WEBHOOK_SECRET": "whsec-of-the-operator",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/of-the-operator",
    "OPENAI_CUSTOM_HEADERS": "X-Gateway: gate-of-the-operator\nAuthorization: Bearer auth-of-the-operator\nUser-Agent: agent-of-the-operator",
    "ANTHROPIC_API_KEY": "sk-ant-of-the-operator",
    "ANTHROPIC_AUTH_TOKEN": "token-of-the-operator",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Gateway: ant-of-the-operator",
    "GOOGLE_API_KEY": "google-of-the-operator",
    "GEMINI_API_KEY": "gemini-of-the-operator",
    "AZURE_OPENAI_API_KEY": "azure-of-the-operator",
}


@pytest.mark.parametrize("api", sorted(DIALECTS))
@pytest.mark.parametrize("key", ["", KEY])
def test_nothing_of_the_operators_environment_goes_to_an_endpoint(
    api: str, key: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in _OPERATORS.items():
        monkeypatch.setenv(name, value)
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login operator password netrc-of-the-operator\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    headers = (("X-Team", "a-secret-of-the-team"),)
    with serving(lambda _path, _body: text("Yes.")) as server:
        endpoint = Endpoint(server.url, key, api=api, headers=headers, typed=True)  # type: ignore[arg-type]  # of several types
        client = EndpointClient(endpoint)
        with suppress(TouchstoneError):  # the answer is one of chat, whatever is asked
            client.chat(("Judge.", "Is it?"), Sampling("m"), "")
        with suppress(TouchstoneError):
            client.models()
    assert server.headers
    for sent in server.headers:
        assert "of-the-operator" not in str(dict(sent.items()))
        assert sent["X-Team"] == "a-secret-of-the-team"
        assert (KEY in str(dict(sent.items()))) is bool(key)
