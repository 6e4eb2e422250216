/** @import { Editor, EditorComponent } from './types.d.ts' */
import { finder } from './dom.js';

/** @type {WeakMap<ShadowRoot, Editor>} */
const editors = new WeakMap();

/** @param {string} text @param {number} units */
const codePoints = (text, units) => Array.from(text.slice(0, units)).length;

/** @param {EditorComponent} component */
export default function (component) {
  const root = component.parentElement;
  const editor = editors.get(root) ?? open(root, component);
  editor.component = component;
  receive(editor);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) close(editor, root); };
}

/** @param {ShadowRoot} root @param {EditorComponent} component */
function open(root, component) {
  const $ = finder(root);
  /** @type {Editor} */
  const editor = {
    $, component, box: $('textarea'), bar: $('.bar'), newText: $('input.new'), explanation: $('input.why'), limit: component.data.limit,
    rev: null, sentText: null, timer: 0, look: 0, range: null, dragging: false, typedAt: -Infinity, rhythm: 0,
    skip: event => { skipTo(editor, event); }, runs: new MutationObserver(() => noteRun(editor)), wasRunning: false, release: () => endDrag(editor),
  };
  editors.set(root, editor);
  listenToText(editor);
  listenToSelection(editor);
  listenToBar(editor);
  watchRuns(editor);
  document.addEventListener('keydown', tellField, true);
  document.addEventListener('click', editor.skip);
  return editor;
}

/** @param {Editor} editor @param {ShadowRoot} root */
function close(editor, root) {
  clearTimeout(editor.timer);
  clearTimeout(editor.look);
  editor.runs.disconnect();
  document.removeEventListener('pointerup', editor.release);
  document.removeEventListener('keydown', tellField, true);
  document.removeEventListener('click', editor.skip);
  editors.delete(root);
}

/**
 * The link before all controls leads to the box, which the address of a place cannot name: it is in a component.
 * @param {Editor} editor
 * @param {MouseEvent} event
 */
function skipTo(editor, event) {
  if (!(event.target instanceof Element && event.target.matches('.ts-to-editor'))) return;
  event.preventDefault();
  editor.box.focus();
}

/**
 * Only a programmatic change, told by a new doc_rev, may overwrite what stands in the box.
 * @param {Editor} editor
 */
function receive(editor) {
  const { value, doc_rev, height, limit } = editor.component.data;
  editor.$('.editor').style.setProperty('--height', `${height}px`);
  editor.limit = limit;
  if (doc_rev === editor.rev) return;
  editor.rev = doc_rev;
  clearTimeout(editor.timer);
  editor.timer = 0;
  if (editor.box.value !== value) editor.box.value = value;
  editor.sentText = editor.box.value;
  hideBar(editor);
  say(editor, '');
  count(editor);
}

/** @param {Editor} editor */
function listenToText(editor) {
  const { box } = editor;
  box.addEventListener('input', event => { if (!event.isComposing) noteTyping(editor); });
  box.addEventListener('compositionend', () => noteTyping(editor));
  box.addEventListener('blur', () => { if (editor.timer) send(editor); });
  box.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send(editor); }
    if (event.key === 'Escape' && !editor.bar.hidden) hideBar(editor);
    keepKey(event, editor);
  });
}

/** @param {KeyboardEvent} event */
const isShortcut = event => event.altKey && !event.ctrlKey && !event.metaKey && /^Key|^Digit/.test(event.code);

/**
 * The other fields of the page are told of only when they are left, and a shortcut is about what stands in them.
 * @param {KeyboardEvent} event
 */
function tellField(event) {
  const field = document.activeElement;
  if (!isShortcut(event) || !(field instanceof HTMLElement && field.matches('input, textarea'))) return;
  field.blur();
  field.focus();
}

/**
 * The app's shortcuts must not fire while writing (Ctrl+Z would lose native undo); Alt with a letter belongs to them.
 * @param {KeyboardEvent} event
 * @param {Editor} editor
 */
function keepKey(event, editor) {
  if (isShortcut(event) && !editor.timer) return;
  event.stopPropagation();
  if (!isShortcut(event)) return;
  // a shortcut is about the text as it stands: that has to be on its way before the key is heard
  send(editor);
  const { key, code, altKey, shiftKey } = event;
  const again = new KeyboardEvent('keydown', { key, code, altKey, shiftKey, bubbles: true, composed: true });
  const { target } = event;
  setTimeout(() => target?.dispatchEvent(again));
}

/** @param {Editor} editor */
function noteTyping(editor) {
  clearTimeout(editor.timer);
  followRhythm(editor, performance.now());
  editor.timer = setTimeout(() => send(editor), pause(editor));
  hideBar(editor);
  say(editor, 'typing…');
  count(editor);
}

/**
 * Milliseconds between the keys of this writer, lately; what lies a second apart is not one burst.
 * @param {Editor} editor
 * @param {number} now
 */
function followRhythm(editor, now) {
  const gap = now - editor.typedAt;
  editor.typedAt = now;
  if (gap < 1000) editor.rhythm = editor.rhythm ? 0.7 * editor.rhythm + 0.3 * gap : gap;
}

/**
 * The text is sent when nothing was typed for so long: longer than between two keys of a burst. Who types slower than the
 * longest that is ever waited is not waited for: the next key comes too late anyhow.
 * @param {Editor} editor
 */
function pause(editor) {
  const { debounce_ms, shortest_debounce_ms } = editor.component.data;
  const burst = editor.rhythm < debounce_ms ? 1.5 * editor.rhythm : 0;
  return Math.min(debounce_ms, Math.max(shortest_debounce_ms, burst));
}

/** @param {Editor} editor */
function send(editor) {
  clearTimeout(editor.timer);
  editor.timer = 0;
  const value = editor.box.value;
  const excess = codePoints(value, value.length) - editor.limit;
  editor.$('.warning').textContent = excess > 0 ? `${excess.toLocaleString('en')} characters too long: not scored.` : '';
  if (value === editor.sentText || excess > 0) { say(editor, ''); return false; }
  editor.sentText = value;
  say(editor, 'scoring…');
  clearTimeout(editor.look);
  editor.look = setTimeout(() => settle(editor), 1000);
  editor.component.setStateValue('text', { value, doc_rev: editor.rev });
  return true;
}

/** @param {Editor} editor @param {string} words */
function say(editor, words) { editor.$('.status').textContent = words; }

/** @param {Editor} editor */
function count(editor) {
  const words = editor.box.value.match(/\S+/g)?.length ?? 0;
  editor.$('.count').textContent = words === 1 ? '1 word' : `${words.toLocaleString('en')} words`;
}

const app = () => /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="stApp"]'));

const isRunning = () => ['running', 'rerunRequested'].includes(app()?.dataset.testScriptState ?? '');

/**
 * "scoring…" stands from sending until the script has run. A run may be too short to be seen, so look again in a second.
 * @param {Editor} editor
 */
function watchRuns(editor) {
  const appElement = app();
  if (appElement) editor.runs.observe(appElement, { attributes: true, attributeFilter: ['data-test-script-state'] });
}

/** @param {Editor} editor */
function noteRun(editor) {
  if (editor.wasRunning && !isRunning()) settle(editor);
  editor.wasRunning = isRunning();
}

/** @param {Editor} editor */
function settle(editor) { if (!editor.timer && !isRunning()) say(editor, ''); }

/** @param {Editor} editor */
function listenToSelection(editor) {
  const { box } = editor;
  box.addEventListener('pointerdown', () => { editor.dragging = true; });
  document.addEventListener('pointerup', editor.release);
  box.addEventListener('keyup', event => { if (event.key !== 'Escape') select(editor); });
  box.addEventListener('select', () => { if (!editor.dragging) select(editor); });
}

/** @param {Editor} editor */
function endDrag(editor) {
  if (!editor.dragging) return;
  editor.dragging = false;
  setTimeout(() => select(editor));
}

/** @param {Editor} editor */
function select(editor) {
  const { box, bar } = editor, [start, end] = [box.selectionStart, box.selectionEnd];
  if (start === end) { hideBar(editor); return; }
  const same = editor.range?.start === start && editor.range?.end === end;
  if (same && bar.hidden) return;
  editor.range = { start, end, old: box.value.slice(start, end) };
  const old = editor.$('.old');
  old.textContent = old.title = editor.range.old;
  if (bar.hidden) { bar.hidden = false; reveal(editor, end); }
}

/**
 * The bar takes its room from the box, so the selected words may have slipped under its lower edge.
 * @param {Editor} editor
 * @param {number} offset
 */
function reveal({ box, bar }, offset) {
  const mirror = document.createElement('div'), mark = document.createElement('span');
  mirror.className = 'mirror';
  mirror.style.width = `${box.clientWidth}px`;
  mirror.textContent = box.value.slice(0, offset);
  mark.textContent = '\u200b';
  mirror.append(mark);
  bar.after(mirror);
  const lowestEdge = mark.offsetTop + mark.offsetHeight * 1.5;
  mirror.remove();
  box.scrollTop = Math.max(box.scrollTop, lowestEdge - box.clientHeight);
}

/** @param {Editor} editor */
function hideBar(editor) {
  if (editor.bar.hidden) { editor.range = null; return; }
  const within = editor.bar.contains(editor.component.parentElement.activeElement);
  editor.bar.hidden = true;
  editor.newText.value = editor.explanation.value = '';
  if (within) editor.box.focus();
}

/** @param {Editor} editor */
function listenToBar(editor) {
  editor.$('.replace').addEventListener('click', () => replace(editor, editor.newText.value));
  editor.$('.delete').addEventListener('click', () => replace(editor, ''));
  editor.$('.close').addEventListener('click', () => hideBar(editor));
  editor.bar.addEventListener('keydown', event => {
    if (event.key === 'Escape') { event.preventDefault(); hideBar(editor); }
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement && !event.isComposing) {
      event.preventDefault();
      replace(editor, editor.newText.value);
    }
    keepKey(event, editor);
  });
}

/**
 * insertText keeps the browser's own undo history, which assigning to `value` would lose.
 * @param {Editor} editor
 * @param {string} newText
 */
function replace(editor, newText) {
  const { box, range } = editor;
  if (!range || newText === range.old || box.value.slice(range.start, range.end) !== range.old) { hideBar(editor); return; }
  const event = {
    start: codePoints(box.value, range.start), end: codePoints(box.value, range.end), old: range.old, new: newText,
    explanation: editor.explanation.value.trim(), doc_rev: editor.rev,
  };
  box.focus();
  box.setSelectionRange(range.start, range.end);
  document.execCommand(newText ? 'insertText' : 'delete', false, newText);
  hideBar(editor);
  count(editor);
  if (send(editor)) editor.component.setTriggerValue('replace', event);
}
