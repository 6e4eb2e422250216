// A box that finds words in the document of Probe: `/` opens it, and Ctrl+F while the document or the box has the focus.

/** @import { DocumentPane } from './types.d.ts' */
import { put } from './dom.js';

const FOUND = 'touchstone-found', SHOWN = 'touchstone-shown'; // as document.css names them
const LONG = 2; // windows of text from which on the button is in sight
const MOST = 2000; // places that are marked

/** @param {DocumentPane} pane @param {ShadowRoot} root */
export function listenToFind(pane, root) {
  const $ = pane.find, words = input(pane);
  pane.keys = event => {
    if (root.host.isConnected) hearKey(pane, root, event);
    else removeEventListener('keydown', pane.keys, true);
  };
  addEventListener('keydown', pane.keys, true);
  new ResizeObserver(() => { offer(pane); }).observe(pane.words);
  $('.open').addEventListener('click', () => { openFind(pane); });
  $('.close').addEventListener('click', () => { closeFind(pane); });
  $('.next').addEventListener('click', () => { step(pane, 1); });
  $('.previous').addEventListener('click', () => { step(pane, -1); });
  words.addEventListener('input', () => { pane.at = 0; findAgain(pane); reveal(pane); });
  words.addEventListener('keydown', event => {
    if (event.key === 'Enter') step(pane, event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') closeFind(pane);
    else return;
    event.preventDefault();
  });
}

/** @param {DocumentPane} pane */
const input = pane => /** @type {HTMLInputElement} */ (pane.find('.words'));

/** @param {DocumentPane} pane @param {ShadowRoot} root @param {KeyboardEvent} event */
function hearKey(pane, root, event) {
  if (event.isComposing || event.altKey) return;
  const typing = event.composedPath().some(node => node instanceof Element && node.matches('input, textarea, select, [contenteditable=true]'));
  const isFind = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'f' && root.activeElement;
  const isSlash = event.key === '/' && !typing && !event.ctrlKey && !event.metaKey;
  if (!isFind && !isSlash) return;
  event.preventDefault();
  openFind(pane);
}

/** @param {DocumentPane} pane */
function offer(pane) {
  pane.find('.open').hidden = !pane.find('.find').hidden || pane.box.scrollHeight < LONG * pane.box.clientHeight;
}

/** @param {DocumentPane} pane */
function openFind(pane) {
  pane.find('.find').hidden = false;
  offer(pane);
  input(pane).focus();
  input(pane).select();
  findAgain(pane);
}

/** @param {DocumentPane} pane */
function closeFind(pane) {
  pane.find('.find').hidden = true;
  offer(pane);
  findAgain(pane);
  pane.box.focus({ preventScroll: true });
}

/**
 * Mark every place of the words in the text as it is drawn now.
 * @param {DocumentPane} pane
 */
export function findAgain(pane) {
  const wanted = pane.find('.find').hidden ? '' : fold(input(pane).value.trim());
  pane.ranges = wanted ? places(pane.words, wanted) : [];
  pane.at = Math.min(pane.at, Math.max(0, pane.ranges.length - 1));
  drawPlaces(pane, wanted);
}

/** @param {DocumentPane} pane @param {string} wanted */
function drawPlaces({ find, ranges, at }, wanted) {
  put(find('.count'), !wanted ? '' : ranges.length ? `${at + 1} of ${ranges.length}` : 'no place');
  if (!CSS.highlights) return; // older browsers scroll there all the same
  CSS.highlights.set(FOUND, new Highlight(...ranges));
  CSS.highlights.set(SHOWN, new Highlight(...ranges.slice(at, at + 1)));
}

/** @param {DocumentPane} pane @param {number} by */
function step(pane, by) {
  const { length } = pane.ranges;
  if (!length) return;
  pane.at = (pane.at + by + length) % length;
  drawPlaces(pane, input(pane).value);
  reveal(pane);
}

/** @param {DocumentPane} pane */
function reveal({ box, ranges, at }) {
  if (!ranges.length) return;
  const [outer, inner] = [box.getBoundingClientRect(), ranges[at].getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  box.scrollTo({ top: box.scrollTop + inner.top - outer.top - box.clientHeight / 3 });
}

/**
 * In small letters, each as long as it was, so that places stay.
 * @param {string} text
 */
const fold = text => Array.from(text, letter => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join('');

/**
 * The document is cut into nodes at every border of a highlight, and words may lie over one.
 * @param {HTMLElement} words
 * @param {string} wanted
 */
function places(words, wanted) {
  const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT), nodes = [], starts = [];
  let text = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push(node);
    starts.push(text.length);
    text += node.nodeValue ?? '';
  }
  const folded = fold(text), ranges = [];
  let first = 0;
  for (let at = folded.indexOf(wanted); at >= 0 && ranges.length < MOST; at = folded.indexOf(wanted, at + wanted.length)) {
    while (starts[first + 1] <= at) first += 1;
    let last = first;
    while (starts[last + 1] < at + wanted.length) last += 1;
    const range = document.createRange();
    range.setStart(nodes[first], at - starts[first]);
    range.setEnd(nodes[last], at + wanted.length - starts[last]);
    ranges.push(range);
  }
  return ranges;
}
