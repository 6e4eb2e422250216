"""Sign-in through an organisation: a real exchange of OpenID Connect with a provider on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

pytest.importorskip("authlib", reason="sign-in through an organisation needs Authlib")

from joserfc.jwk import RSAKey

from annotations.people.people import Role
from tests.doubles.oidc import CLIENT, Provider, provider
from tests.e2e.shared_server import SharedServer, opened
from tests.e2e.waiting import START_MS, idle, press

pytestmark = pytest.mark.e2e


STRANGERS: tuple[tuple[dict[str, object], str], ...] = (
    ({"email": "eve@example.org", "email_verified": True}, "eve@example.org is not among the people here"),
    ({"email": "boss@example.org", "email_verified": False}, "does not confirm an e-mail address"),
    ({"email": "boss@example.org", "email_verified": "false"}, "does not confirm an e-mail address"),
    ({"email": "boss@example.org"}, "does not confirm an e-mail address"),
)
BOSS = {"email": "boss@example.org", "email_verified": True}
FORGED: tuple[dict[str, object], ...] = (
    {"iss": "http://127.0.0.1:1"},
    {"aud": "another-client"},
    {"exp": 1_000_000_000, "iat": 999_999_000},
    {"nonce": "of another sign-in"},
)
"""Claims of a token that is not for this sign-in."""


@pytest.fixture(scope="module")
def organisation() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture(scope="module")
def shared(organisation: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    """A shared server that knows the organisation, and two people by their address."""
    folder = tmp_path_factory.mktemp("organisation")
    secrets = folder / "secrets.toml"
    with opened(folder, STREAMLIT_SECRETS_FILES=str(secrets)) as shared_server:
        secrets.write_text(  # read at the first page, when the address of the server is known
            "[auth]\n"
            f'redirect_uri = "{shared_server.server.url}/oauth2callback"\n'
            'cookie_secret = "a secret of this test only, long enough"\n'
            f'client_id = "{CLIENT}"\n'
            'client_secret = "unused"\n'
            f'server_metadata_url = "{organisation.url}/.well-known/openid-configuration"\n',
            encoding="utf-8",
        )
        shared_server.code(Role.ANNOTATOR, "ada@example.org")
        shared_server.code(Role.MANAGER, "boss@example.org")
        yield shared_server


def sign_in(page: Page, shared: SharedServer) -> None:
    page.goto(shared.server.url)
    press(page.get_by_role("button", name="Sign in with your organisation"))


@pytest.mark.slow
def test_whom_the_organisation_vouches_for_is_in_by_their_address_and_nobody_else(
    page: Page, shared: SharedServer, organisation: Provider
) -> None:
    for claims, told in STRANGERS:
        organisation.claims = claims
        sign_in(page, shared)
        expect(page.get_by_text(told)).to_be_visible(timeout=START_MS)
        expect(page.get_by_role("link", name="Annotate")).to_have_count(0)
        page.context.clear_cookies()

    organisation.claims = {"email": "Ada@example.org", "email_verified": True}
    sign_in(page, shared)
    expect(page.get_by_role("link", name="Annotate")).to_be_visible(timeout=START_MS)
    expect(page.get_by_role("link", name="Campaigns")).to_have_count(0)
    press(page.get_by_text("ada@example.org, annotator"))
    press(page.get_by_role("menuitem", name="Sign out"))
    expect(page.get_by_role("button", name="Sign in with your organisation")).to_be_visible(timeout=START_MS)

    # a personal link works beside the organisation
    page.goto(f"{shared.server.url}/?invite={shared.code()[1]}")
    expect(page.get_by_role("link", name="Annotate")).to_be_visible(timeout=START_MS)


@pytest.mark.slow
def test_a_token_for_something_else_or_signed_by_somebody_else_signs_nobody_in(
    page: Page, shared: SharedServer, organisation: Provider
) -> None:
    def refuse() -> None:
        sign_in(page, shared)
        expect(page.get_by_role("button", name="Sign in with your organisation")).to_be_visible(timeout=START_MS)
        idle(page)
        assert not [cookie for cookie in page.context.cookies() if cookie["name"].startswith("_streamlit_user")]

    for claims in FORGED:
        organisation.claims = BOSS | claims
        refuse()
    organisation.claims, key = dict(BOSS), organisation.key
    organisation.key = RSAKey.generate_key(2048, {"kid": "one"})  # one that is not among its keys
    organisation.published = key
    refuse()
    organisation.algorithm = "none"
    refuse()
    organisation.algorithm = "HS256"  # signed with the public key, which everybody has
    refuse()
    organisation.key, organisation.algorithm = key, "RS256"
    page.goto(f"{shared.server.url}/oauth2callback?code=code-0&state=of-another-browser")
    expect(page.get_by_role("button", name="Sign in with your organisation")).to_be_visible(timeout=START_MS)
    sign_in(page, shared)
    expect(page.get_by_role("link", name="Campaigns")).to_be_visible(timeout=START_MS)
