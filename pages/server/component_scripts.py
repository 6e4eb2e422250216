"""Scripts of components out of `assets`: as one text, and at an address of their own for the browser to keep.

Streamlit sends the script, style and markup of a component with every change of its data, some 70 kB for each label. What is
fetched by its address comes once.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.base_path import base_path

_ASSETS = Path(__file__).parents[1] / "ui" / "assets"
_FETCHED = ("labeller",)
_FOLDER = "component-scripts/"
_YEAR = "public, max-age=31536000, immutable"

_IMPORT = re.compile(r"^import \{[^}]*\} from '\./(\w+\.js)';\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
_EXPORTED = re.compile(r"^export default ", re.MULTILINE)
_UNPACKED = "\nexport default component => drawComponent({ ...component, data: component.data[0] });\n"
_DRAWN = """
const ownStyle = new CSSStyleSheet();
ownStyle.replaceSync(STYLE);
const markup = new DOMParser().parseFromString(MARKUP, 'text/html');
export default component => {
  const root = component.parentElement;
  if (!root.querySelector('.root')) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, ownStyle];
    root.append(...document.importNode(markup.body, true).childNodes);
  }
  return drawComponent({ ...component, data: component.data[0] });
};
"""
# A component may be drawn again, or be gone, before its script is there. A browser that failed to fetch an address gives up on it, so that
# each try has one of its own. The text is short, as it comes with every change of the data.
_LOADER = """
let draw, loading;
const load = tries => import(location.origin + 'ADDRESS' + (tries ? `?${tries}` : '')).then(
  script => { draw = script.default; },
  error => tries < 4 ? new Promise(done => setTimeout(done, 500 << tries)).then(() => load(tries + 1)) : Promise.reject(error),
);
export default component => {
  if (draw) return draw(component);
  let gone, close;
  (loading ??= load(0)).then(
    () => { if (!gone) close = draw(component); },
    () => { component.parentElement.innerHTML = '<p role="alert">This part could not be fetched. Nothing is lost: reload the page.</p>'; },
  );
  return () => { gone = true; close?.(); };
};
"""


def read_asset(file: str) -> str:
    """The text of a file of `assets`."""
    return (_ASSETS / file).read_text(encoding="utf-8")


def bundle_script(file: str) -> str:
    """The module of `assets` with all that it imports as one module, as Streamlit takes the script of a component as a text.

    A name at the top of one of its files may not be that of another, which the browser would refuse.
    """
    scripts: dict[str, str] = {}
    waiting = [file]
    while waiting:
        name = waiting.pop()
        if name not in scripts:
            scripts[name] = read_asset(name)
            waiting += _IMPORT.findall(scripts[name])
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", script)) for script in scripts.values())


def component_style(name: str) -> str:
    """The style of a component, with that of all of them."""
    return "".join(map(read_asset, ("base.css", "noise_strip.css", f"{name}.css")))


def component_script(name: str) -> str:
    """The script of a component, which is called with its data in a list."""
    return _unexported(name) + _UNPACKED


def loading_script(name: str) -> str:
    """A script that fetches the one of a component, with its style and markup, by its address."""
    return re.sub(r"\n *", "\n", _LOADER).replace("ADDRESS", f"{base_path()}{_FOLDER}{name}-{_hash(name)}.js")


def _unexported(name: str) -> str:
    return _EXPORTED.sub("const drawComponent = ", bundle_script(f"{name}.js"))


@cache
def _fetched_script(name: str) -> bytes:
    drawn = _DRAWN.replace("STYLE", json.dumps(component_style(name))).replace(
        "MARKUP", json.dumps(read_asset(f"{name}.html"))
    )
    return (_unexported(name) + drawn).encode()


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(_fetched_script(name), 6)


@cache
def _hash(name: str) -> str:
    return hashlib.sha256(_fetched_script(name)).hexdigest()[:16]


class ComponentScripts:
    """Middleware that answers `component-scripts/NAME-HASH.js`, and hands everything else on.

    Another process of the server may have named the script: a hash that is not ours gets ours, which no browser keeps.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = f"{base_path()}{_FOLDER}"
        if scope["type"] != "http" or not str(scope["path"]).startswith(start):
            await self._app(scope, receive, send)
            return
        name, _, version = Request(scope).url.path.removeprefix(start).removesuffix(".js").rpartition("-")
        await _answer(name, version, Headers(scope=scope))(scope, receive, send)


def _answer(name: str, version: str, headers: Headers) -> Response:
    if name not in _FETCHED:
        return PlainTextResponse("There is no such script.", 404)
    kept = _YEAR if version == _hash(name) else "no-store"
    own = {"cache-control": kept, "vary": "accept-encoding"}
    if "gzip" in headers.get("accept-encoding", ""):
        return Response(_packed(name), headers={**own, "content-encoding": "gzip"}, media_type="text/javascript")
    return Response(_fetched_script(name), headers=own, media_type="text/javascript")
