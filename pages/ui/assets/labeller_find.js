// Ways about a long document: words that are looked for, the numbers and names of the summary one after the other, and paragraphs.

/** @import { Span, View } from './types.d.ts' */
import { drawMarks, panes, questionFor, spansIn } from './labeller_texts.js';

const MOST_FOUND = 500, SPECIAL = /[.*+?^${}()|[\]\\]/g;
const TELLING = /\p{N}+(?:[.,:]\p{N}+)*|\p{Lu}[\p{L}\p{N}'’-]*/gu, PARAGRAPH = /[^\n]+/gu;

/** @param {View} view */
const documentPane = view => view.$('.document .text');

/** @param {View} view */
export function openFind(view) {
  view.$('.find').hidden = false;
  view.$('.find input').focus();
  view.$('.find input').select();
}

/** @param {View} view */
export function closeFind(view) {
  Object.assign(view, { found: [], foundAt: -1 });
  view.$('.find').hidden = true;
  drawMarks(view);
}

/** @param {View} view @param {KeyboardEvent} event */
export function hearFindKey(view, event) {
  event.stopPropagation();
  if (event.key === 'Escape') { closeFind(view); view.$('.labeller').focus({ preventScroll: true }); }
  if (event.key === 'Enter') { event.preventDefault(); goToFound(view, event.shiftKey ? -1 : 1); }
}

/**
 * All places of some words, whatever their capitals and blanks; the first one is shown.
 * @param {View} view
 * @param {string} words
 */
export function find(view, words) {
  const pattern = words.trim().replace(SPECIAL, '\\$&').replace(/\s+/g, '\\s+');
  view.found = pattern ? spansIn(documentPane(view).textContent, new RegExp(pattern, 'giu')).slice(0, MOST_FOUND) : [];
  view.foundAt = -1;
  if (view.found.length) goToFound(view, 1);
  else drawMarks(view);
  view.$('.find output').textContent = words.trim() ? placeText(view) : '';
}

/** @param {View} view */
const placeText = view => view.found.length ? `${view.foundAt + 1} of ${view.found.length}${view.found.length === MOST_FOUND ? ' or more' : ''}` : 'not in the document';

/** @param {View} view @param {number} by */
export function goToFound(view, by) {
  const { length } = view.found;
  if (!length) return;
  view.foundAt = (view.foundAt + by + length) % length;
  point(view, view.found[view.foundAt]);
  view.$('.find output').textContent = placeText(view);
}

/**
 * Arrows go on from a place that is pointed at, and where words are marked it is chosen.
 * @param {View} view
 * @param {Span} span
 */
function point(view, span) {
  const pane = documentPane(view), pick = { pane, span };
  Object.assign(view, questionFor(view, pane) ? { pick } : { pick: null, lastPick: pick });
  drawMarks(view);
  pane.querySelector('.picked, .here')?.scrollIntoView({ block: 'center' });
}

/**
 * The next number or name of the summary, looked for in the document.
 * @param {View} view
 */
export function findNextOfSummary(view) {
  const words = tellingWords(view);
  if (!words.length) return;
  view.wordAt = (view.wordAt + 1) % words.length;
  view.$('.find').hidden = false;
  view.$('.find input').value = words[view.wordAt];
  find(view, words[view.wordAt]);
}

/**
 * Numbers and words with a capital that the document does not write small, as the first word of a sentence may be.
 * @param {View} view
 */
function tellingWords(view) {
  const small = new Set(documentPane(view).textContent.match(/\p{Ll}[\p{L}\p{N}'’-]*/gu));
  const texts = panes(view).filter(pane => pane.dataset.of === 'summary').map(pane => pane.textContent);
  return [...new Set(texts.flatMap(text => text.match(TELLING) ?? []))].filter(word => !small.has(word.toLowerCase()));
}

/** @param {View} view @param {number} by */
export function goToParagraph(view, by) {
  const pane = documentPane(view), starts = spansIn(pane.textContent, PARAGRAPH), at = view.paragraphAt + by;
  if (at < 0 || at >= starts.length) return;
  view.paragraphAt = at;
  view.found = [[starts[at][0], starts[at][1]]];
  view.foundAt = 0;
  drawMarks(view);
  pane.querySelector('.here')?.scrollIntoView({ block: 'start' });
}
