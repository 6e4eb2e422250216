// The texts of a task and the words that are marked or picked in them; offsets are code points, as Python counts.

/** @import { Heading, Key, Mark, Passage, Piece, Question, Span, TaskPart, View } from './types.d.ts' */
import { all, element } from './dom.js';
import { categoryOf, linksOf, openQuestions, passagesOf, sideOf } from './labeller_answers.js';

/** @param {View} view */
export function drawTexts(view) {
  const { parts } = view.task, content = JSON.stringify(parts);
  if (content === view.drawnTexts) return;
  view.drawnTexts = content;
  view.$('.texts').replaceChildren(...parts.map(part => textFrame(part)));
  drawMarks(view);
}

/** @param {TaskPart} part */
function textFrame({ title, style, side, note }) {
  const box = element('div', style), head = element('h3', '', title), body = element('div', 'text', '', { dir: 'auto' });
  if (note) box.title = note;
  if (side !== null) { body.tabIndex = 0; body.setAttribute('role', 'group'); body.setAttribute('aria-label', title); }
  body.dataset.of = side === null ? '' : 'summary';
  body.dataset.side = side ?? '';
  box.append(head, body);
  if (note) box.append(element('p', 'hint', note));
  return box;
}

/** @param {View} view */
export const panes = view => [view.$('.document .text'), ...all(view.$('.texts'), '.text')];

/** @param {View} view @param {HTMLElement} pane */
const piecesOf = (view, pane) => pane.dataset.of === 'document'
  ? view.task.document : view.task.parts[panes(view).indexOf(pane) - 1].pieces;

/** @param {View} view */
export function drawMarks(view) {
  for (const pane of panes(view)) pane.replaceChildren(...pieceNodes(piecesOf(view, pane), marksIn(view, pane)));
}

/** @param {View} view @param {HTMLElement} pane */
function marksIn(view, pane) {
  const questions = openQuestions(view), { of, side } = pane.dataset;
  const marked = questions.filter(q => q.kind === 'span' && q.of === of).flatMap(q => passagesOf(view, q).filter(passage => sideOf(q, passage) === side)
    .map(passage => markOf(passage, q.options.length ? `marked category c${categoryOf(q, passage)}` : 'marked')));
  const links = questions.filter(q => q.kind === 'link').flatMap(q => linksOf(view, q));
  const linked = of === 'summary' ? links.map(({ claim }) => claim) : of === 'document' ? links.map(({ evidence }) => evidence) : [];
  const claims = of === 'summary' && view.openClaim ? [view.openClaim] : [];
  const picked = view.pick?.pane === pane ? [view.pick.span] : [], found = of === 'document' ? view.found : [];
  return [
    ...marked, ...[...linked, ...claims].map(passage => markOf(passage, 'marked')), ...picked.map(span => markOf(span, 'picked')),
    ...found.map((span, i) => markOf(span, i === view.foundAt ? 'found here' : 'found')),
  ];
}

/** @param {Passage} passage @param {string} name @returns {Mark} */
const markOf = ([from, to], name) => ({ from, to, name });

/** @param {Piece[]} pieces @param {Mark[]} marks */
export function pieceNodes(pieces, marks) {
  let at = 0;
  const placedPieces = pieces.map(([op, words, headings = []]) => {
    const letters = Array.from(words), start = at;
    at += letters.length;
    return { op, headings, start, letters, end: at };
  });
  const cuts = marks.flatMap(({ from, to }) => [from, to]);
  return placedPieces.flatMap(({ op, headings, start, end, letters }) => {
    const borders = [...new Set([start, ...cuts.filter(cut => cut > start && cut < end), end])].sort((a, b) => a - b);
    return [...headings.map(headingNode), ...borders.slice(1).map((to, i) => {
      const from = borders[i], names = marks.filter(mark => mark.from <= from && to <= mark.to).map(({ name }) => name);
      return wordsNode(op, letters.slice(from - start, to - start).join(''), names.join(' '));
    })];
  });
}

/**
 * CSS prints the name of a context, which is no word of the document: neither marked nor counted.
 * @param {Heading} heading
 */
function headingNode([kind, label]) {
  const node = element('span', `heading ${kind}`);
  node.dataset.label = label;
  return node;
}

/** @type {Record<number, 'del' | 'ins' | 'b' | 'em'>} */
const TAGS = { '-1': 'del', 1: 'ins', 2: 'b', 3: 'em' };

/** @param {number} op @param {string} words @param {string} names */
function wordsNode(op, words, names) {
  const text = names ? element('mark', names, words) : document.createTextNode(words);
  if (!TAGS[op]) return text;
  const around = element(TAGS[op]);
  around.append(text);
  return around;
}

/**
 * Words are chosen with the mouse, or with arrows in a text that has the focus.
 * @param {View} view
 */
export function rememberSelection(view) {
  const selection = view.root.getSelection ? view.root.getSelection() : document.getSelection();
  const range = selection?.getComposedRanges?.({ shadowRoots: [view.root] })[0] ?? (selection?.rangeCount ? selection.getRangeAt(0) : null);
  if (!range || range.collapsed) return;
  const pane = panes(view).find(candidate => candidate.contains(range.startContainer) && candidate.contains(range.endContainer));
  if (!pane || !questionFor(view, pane)) return;
  const before = document.createRange(), within = document.createRange();
  before.selectNodeContents(pane);
  before.setEnd(range.startContainer, range.startOffset);
  within.setStart(range.startContainer, range.startOffset);
  within.setEnd(range.endContainer, range.endOffset);
  const start = Array.from(before.toString()).length;
  // not drawn: the browser shows the selection itself, and drawing would take it away
  view.pick = { pane, span: [start, start + Array.from(within.toString()).length] };
}

const WORD = /[\p{L}\p{N}_]+(?:[^\s\p{L}\p{N}_][\p{L}\p{N}_]+)*/gu;

/** @param {string} text @param {RegExp} pattern @returns {Span[]} */
export function spansIn(text, pattern) {
  let unit = 0, point = 0;
  /** @param {number} to */
  const pointAt = to => { point += Array.from(text.slice(unit, to)).length; unit = to; return point; };
  return Array.from(text.matchAll(pattern), ({ index, 0: word }) => [pointAt(index), pointAt(index + word.length)]);
}

/** @param {View} view @param {HTMLElement} pane */
const sentenceSpans = (view, pane) => pane.dataset.of === 'document'
  ? view.task.sentences : view.task.parts[panes(view).indexOf(pane) - 1].sentences;

/** @param {View} view @param {HTMLElement} pane @param {Key} key */
export function movePick(view, pane, { key, shiftKey }) {
  const before = view.pick ?? view.lastPick, [start, end] = before?.pane === pane ? before.span : [-1, -1];
  const units = ['ArrowUp', 'ArrowDown'].includes(key) ? sentenceSpans(view, pane) : spansIn(pane.textContent, WORD);
  const on = ['ArrowDown', 'ArrowRight'].includes(key);
  const ends = units.map(unit => unit[1]).filter(to => to > start);
  /** @type {Span | undefined} */
  const target = shiftKey && start >= 0
    ? [start, (on ? ends.find(to => to > end) : ends.findLast(to => to < end)) ?? end]
    : on ? units.find(([from]) => from > start) : units.findLast(([from]) => from < start);
  if (!target) return;
  view.pick = { pane, span: target };
  drawMarks(view);
  pane.querySelector('.picked')?.scrollIntoView({ block: 'nearest' });
}

/** @param {View} view @param {HTMLElement} pane */
export const questionFor = (view, pane) => {
  const questions = openQuestions(view);
  /** @param {Question | undefined} question */
  const fits = question => (question?.kind === 'span' && question.of === pane.dataset.of) || (question?.kind === 'link' && ['summary', 'document'].includes(pane.dataset.of ?? ''));
  return [questions[view.active], ...questions].find(fits);
};

/** @param {View} view */
export function leaveText(view) {
  view.pick = null;
  drawMarks(view);
  view.$('.labeller').focus({ preventScroll: true });
}

/** @param {View} view @param {string} of */
export function focusText(view, of) {
  const texts = panes(view).filter(pane => pane.dataset.of === of), { activeElement } = view.root;
  const at = activeElement instanceof HTMLElement ? texts.indexOf(activeElement) : -1;
  texts[(at + 1) % texts.length]?.focus();
}
