// A key that is pressed before its button hears it: Streamlit draws the texts of a page at once, its buttons once their
// script has come, and those hear their keys a moment after that. Such a key waits for its button, and presses it; the
// labeller takes those that came before it.
(() => {
  /** @type {string[]} */
  const pendingKeys = [];
  window.touchstoneKeys = pendingKeys;
  const REST_MS = 1000, LONGEST_MS = 20000;
  let busy = 0, since = 0;
  /** @param {Event} event @param {string} selector */
  const within = (event, selector) => event.composedPath().some(node => node instanceof Element && node.matches(selector));
  /** @param {Event} event */
  const typing = event => within(event, 'input, textarea, select, [contenteditable=true]');
  /** @param {KeyboardEvent} event */
  const named = event => (event.key === 'Enter' ? 'Enter' : /^[a-z0-9]$/i.test(event.key) ? event.key.toUpperCase() : '');
  /** @param {EventTarget} node */
  const isPressed = node => node instanceof Element && node.matches('button, a, summary, [role]');
  /** @param {KeyboardEvent} event */
  const pressesItself = event => event.key === 'Enter' && isPressed(event.composedPath()[0]);
  /** @param {KeyboardEvent} event */
  const other = event => event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey
    || typing(event) || pressesItself(event);
  /** @param {string} key */
  const button = key => /** @type {HTMLButtonElement | null} */ (document.querySelector(`button:has([aria-label="Shortcut ${key}"])`));

  // at rest for a while: one run of a page follows another after a moment
  function loading() {
    const app = /** @type {HTMLElement | null} */ (document.querySelector('[data-testid=stApp]'))?.dataset, now = performance.now();
    const drawn = app?.testConnectionState === 'CONNECTED' && app.testScriptState === 'notRunning'
      && document.querySelector('[data-testid=stMain] [data-testid=stSkeleton]') === null;
    if (!drawn) busy = now;
    return now - busy < REST_MS && now - since < LONGEST_MS;
  }

  function give() {
    while (pendingKeys.length) {
      const target = button(pendingKeys[0]), ready = target && !target.disabled;
      if (!ready && loading()) { requestAnimationFrame(give); return; }
      pendingKeys.shift();
      if (ready) target.click();
    }
  }

  // what follows a key that waits comes after it
  addEventListener('keydown', event => {
    const key = named(event);
    if (!pendingKeys.length || !key || other(event) || !button(key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    pendingKeys.push(key);
  }, true);

  addEventListener('keydown', event => {
    const key = named(event);
    if (event.defaultPrevented || !key || other(event)) return;
    pendingKeys.push(key);
    if (pendingKeys.length > 1) return;
    since = performance.now();
    give();
  });
})();
