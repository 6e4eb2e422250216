"""Controls of a screen, counted as a person meets them: what can be pressed or typed into in the window, below the head of the page."""

from __future__ import annotations

from playwright.sync_api import Page

_CONTROLS = """() => {
  const kinds = 'a[href], button, input, textarea, select, [role=tab], [role=radio], [role=checkbox], [role=slider], [contenteditable=true]';
  const main = document.querySelector('[data-testid=stMain]'), seen = [];
  const walk = root => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (!node.matches(kinds) || node.closest('.st-key-page-head') || node.parentElement?.closest(kinds)) continue;
      const host = node.getRootNode().host ?? node;
      if (!main.contains(host) || host.closest('.st-key-page-head') || !node.checkVisibility({ visibilityProperty: true })) continue;
      const box = node.getBoundingClientRect();
      if (box.width > 2 && box.height > 2 && box.top < innerHeight && box.bottom > 0) {
        seen.push(`${node.tagName.toLowerCase()} ${(node.getAttribute('aria-label') ?? node.innerText ?? '').trim().slice(0, 40)}`);
      }
    }
  };
  walk(main);
  return seen;
}"""


def controls(page: Page) -> list[str]:
    """The controls in the window, each as its element and name."""
    seen: list[str] = page.evaluate(_CONTROLS)
    return seen
