"""Waiting for the states of a page and of its server, and what a person does with a page once all of it is drawn."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError

START_MS = 120_000  # the first page of a server waits for the models that come with it
IDLE_SHARE = 0.10  # of one core
_IDLE_WINDOW_S = 2.0
_STEADY_MS = 100  # what an answer of the server sets off in the page, such as another question, has begun by then
_STILL_MS = 100
_LOOK_MS = 30
_UNANSWERED_MS = 20_000  # a server that is killed never answers
WATCH_RERUNS = """(() => {
  const rerunScript = 11, scriptFinished = 6, send = WebSocket.prototype.send;
  const kind = bytes => {  // the number of the first field of a message after its hash and metadata
    let at = 0;
    while (bytes[at] >> 3 < 3 && (bytes[at] & 7) === 2) {
      let length = 0, shift = 0, byte;
      do { byte = bytes[++at]; length |= (byte & 127) << shift; shift += 7; } while (byte & 128);
      at += 1 + length;
    }
    return bytes[at] >> 3;
  };
  const note = waited => { window.rerun = { waited, at: performance.now() }; };
  const heard = new WeakSet();
  WebSocket.prototype.send = function (data) {
    if (!heard.has(this)) {
      heard.add(this);
      this.addEventListener('message', ({ data }) => {
        if (data instanceof ArrayBuffer && kind(new Uint8Array(data)) === scriptFinished) note(false);
      });
      this.addEventListener('close', () => note(false));
    }
    if (typeof data !== 'string' && kind(new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0)) === rerunScript) note(true);
    return send.call(this, data);
  };
})()"""
"""Run in a page before its scripts: whether a rerun that it asked for is still waited for, as bytes of BackMsg and ForwardMsg tell."""
_DRAWN = """([target, steady, still, unanswered]) => {
  const now = performance.now(), app = document.querySelector('[data-testid=stApp]');
  if (window.changedAt === undefined) {
    const changed = () => { window.changedAt = performance.now(); };
    for (const kind of ['pointerdown', 'click', 'keydown', 'input', 'change']) addEventListener(kind, changed, true);
    new MutationObserver(changed).observe(document, { subtree: true, attributeFilter: ['data-test-script-state'] });
    changed();
  }
  const {x, y} = target?.getBoundingClientRect() ?? {};
  if (window.place !== `${x} ${y}`) { window.place = `${x} ${y}`; window.placedAt = now; }
  if (app?.dataset.testScriptState !== 'notRunning' || now - window.changedAt < steady) return false;
  if (window.rerun?.waited && now - window.rerun.at < unanswered) return false;
  if (window.rerun && now - window.rerun.at < steady) return false;
  if (target && now - window.placedAt < still) return false;
  window.place = undefined;
  return true;
}"""
_FIELD = "xpath=ancestor::*[@data-testid='stMultiSelect'][1]"
_OPEN_MS = 2_000  # an open list shows its options at once
_QUIET_S = 60.0  # the most that background work of ten sessions is waited for


def idle(page: Page, target: Locator | None = None) -> None:
    """Wait until the page's script has ended and no press or text still begins another run: all is drawn, and presses are heard.

    A target has to stay in its place too: a table above that is loaded late moves what is below it, and a mouse that goes
    up elsewhere than down presses nothing.
    """
    handle = target.element_handle(timeout=START_MS) if target else None
    # not at every frame: the browser would have to draw each
    page.wait_for_function(
        _DRAWN, arg=[handle, _STEADY_MS, _STILL_MS, _UNANSWERED_MS], polling=_LOOK_MS, timeout=START_MS
    )


def press(target: Locator) -> None:
    """Click what is there, once nothing is drawn any more that could take its place."""
    _drawn(target)
    target.click()


def enter(box: Locator, words: str) -> None:
    """Type into a field and send it, once nothing is drawn any more that could empty it."""
    _drawn(box)
    box.fill(words)
    box.press("Enter")


def attach(field: Locator, path: Path) -> None:
    """Give a file to a field for files, once nothing is drawn any more that could take its place."""
    field.wait_for(state="attached", timeout=START_MS)
    idle(field.page)
    field.set_input_files(path)


def download(button: Locator) -> Path:
    """Where what a button gives is, once nothing is drawn any more that could make it something else."""
    _drawn(button)
    with button.page.expect_download() as waiting:
        button.click()
    return Path(waiting.value.path())


def _drawn(target: Locator) -> None:
    target.first.wait_for(timeout=START_MS)
    idle(target.page)  # while a page is drawn, what was there and what takes its place stand side by side
    idle(target.page, target)


def pick_option(box: Locator, name: str | re.Pattern[str], *, exact: bool = False, typed: str = "") -> None:
    """Choose from a list, at first by what is typed into it; one that a drawing of the page closed is opened again."""
    idle(box.page)
    option = box.page.get_by_role("option", name=name, exact=exact)
    chosen = box.locator(_FIELD).get_by_text(name, exact=exact)
    before = chosen.count()
    until = time.monotonic() + START_MS / 1000
    while time.monotonic() < until:
        if not option.is_visible():
            box.click()
            box.fill(typed)
        try:
            return option.click(timeout=_OPEN_MS)
        except TimeoutError:
            # a page that took the click and said so too late no longer offers what is chosen
            if chosen.count() > before:
                return None
    raise AssertionError(f"The list has no option {name!r}.")


def quiet(pid: int) -> None:
    """Wait until a server has done what pages asked for in the background, such as the noise of each metric."""
    until = time.monotonic() + _QUIET_S
    while busy_share(pid) > IDLE_SHARE and time.monotonic() < until:
        pass


def busy_share(pid: int) -> float:
    """Processor time of a process over some seconds, as a share of one core."""
    before, started = processor_s(pid), time.monotonic()
    time.sleep(_IDLE_WINDOW_S)  # what is measured is that nothing happens meanwhile
    return (processor_s(pid) - before) / (time.monotonic() - started)


def processor_s(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def go_to(page: Page, title: str) -> None:
    """Open a page by the bar of pages, where its group has to be opened first."""
    link = page.get_by_test_id("stTopNavLink").or_(page.get_by_test_id("stTopNavDropdownLink"))
    link = link.filter(has_text=re.compile(f"{re.escape(title)}$"))
    groups = page.get_by_test_id("stTopNavSection")
    idle(page)
    for place in range(groups.count()):
        if link.count():
            break
        groups.nth(place).click()
    link.click(timeout=START_MS)
