// The texts of a task and the words that are marked or picked in them; offsets are code points, as Python counts.

/** @import { Heading, Key, Passage, Piece, Question, Span, TaskPart, View } from './types.d.ts' */
import { all, element } from './dom.js';
import { links, open_ones, passages_of } from './labeller_answers.js';

/** @param {View} view */
export function texts(view) {
  const { parts } = view.task, drawn = JSON.stringify(parts);
  if (drawn === view.drawn) return;
  view.drawn = drawn;
  view.$('.texts').replaceChildren(...parts.map(part => frame(part)));
  marks(view);
}

/** @param {TaskPart} part */
function frame({ title, style, side, note }) {
  const box = element('div', style), head = element('h3', '', title), body = element('div', 'text', '', { dir: 'auto' });
  if (note) box.title = note;
  if (side !== null) { body.tabIndex = 0; body.setAttribute('aria-label', title); }
  body.dataset.of = side === null ? '' : 'summary';
  body.dataset.side = side ?? '';
  box.append(head, body);
  if (note) box.append(element('p', 'hint', note));
  return box;
}

/** @param {View} view */
export const panes = view => [view.$('.document .text'), ...all(view.$('.texts'), '.text')];

/** @param {View} view @param {HTMLElement} pane */
const pieces = (view, pane) => pane.dataset.of === 'document'
  ? view.task.document : view.task.parts[panes(view).indexOf(pane) - 1].pieces;

/** @param {HTMLElement} pane @param {Passage} passage */
export const here = (pane, [, , side]) => (side ?? '') === pane.dataset.side;

/** @param {View} view */
export function marks(view) {
  const asked = open_ones(view);
  for (const pane of panes(view)) {
    const { of } = pane.dataset;
    const marked = asked.filter(q => q.kind === 'span' && q.of === of).flatMap(q => passages_of(view, q));
    const linked = asked.filter(q => q.kind === 'link').flatMap(q => links(view, q)).flatMap(({ claim, evidence }) => (of === 'summary' ? [claim] : of === 'document' ? [evidence] : []));
    const half = of === 'summary' && view.half ? [view.half] : [];
    const spans = [...marked, ...linked, ...half].filter(span => here(pane, span));
    const picked = view.pick?.pane === pane ? [view.pick.span] : [];
    pane.replaceChildren(...nodes(pieces(view, pane), spans, picked));
  }
}

/** @param {Piece[]} pieces @param {Passage[]} spans @param {Span[]} picked */
export function nodes(pieces, spans, picked) {
  let at = 0;
  const laid = pieces.map(([op, words, headings = []]) => {
    const letters = Array.from(words), start = at;
    at += letters.length;
    return { op, headings, start, letters, end: at };
  });
  // biome-ignore lint/complexity/noFlatMapIdentity: a passage of a pair has its side as a third
  const cuts = [...spans, ...picked].flatMap(([start, end]) => [start, end]);
  return laid.flatMap(({ op, headings, start, end, letters }) => {
    const borders = [...new Set([start, ...cuts.filter(cut => cut > start && cut < end), end])].sort((a, b) => a - b);
    return [...headings.map(heading), ...borders.slice(1).map((to, i) => node(op, letters.slice(borders[i] - start, to - start).join(''),
      covers(spans, borders[i], to), covers(picked, borders[i], to)))];
  });
}

/** @param {Passage[]} spans @param {number} start @param {number} end */
const covers = (spans, start, end) => spans.some(([from, to]) => from <= start && end <= to);

/**
 * CSS prints the name of a context, which is no word of the document: neither marked nor counted.
 * @param {Heading} heading
 */
function heading([kind, label]) {
  const node = element('span', `heading ${kind}`);
  node.dataset.label = label;
  return node;
}

/** @type {Record<number, 'del' | 'ins' | 'b' | 'em'>} */
const TAGS = { '-1': 'del', 1: 'ins', 2: 'b', 3: 'em' };

/** @param {number} op @param {string} words @param {boolean} marked @param {boolean} picked */
function node(op, words, marked, picked) {
  const text = marked || picked ? element('mark', picked ? 'picked' : '', words) : document.createTextNode(words);
  if (!TAGS[op]) return text;
  const around = element(TAGS[op]);
  around.append(text);
  return around;
}

/**
 * Words are chosen with the mouse, or with arrows in a text that has the focus.
 * @param {View} view
 */
export function remember(view) {
  const selection = view.root.getSelection ? view.root.getSelection() : document.getSelection();
  const range = selection?.getComposedRanges?.({ shadowRoots: [view.root] })[0] ?? (selection?.rangeCount ? selection.getRangeAt(0) : null);
  if (!range || range.collapsed) return;
  const pane = panes(view).find(one => one.contains(range.startContainer) && one.contains(range.endContainer));
  if (!pane || !receiver(view, pane)) return;
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

/** @param {string} text @returns {Span[]} */
function words(text) {
  let unit = 0, point = 0;
  /** @param {number} to */
  const point_at = to => { point += Array.from(text.slice(unit, to)).length; unit = to; return point; };
  return Array.from(text.matchAll(WORD), ({ index, 0: word }) => [point_at(index), point_at(index + word.length)]);
}

/** @param {View} view @param {HTMLElement} pane */
const sentences = (view, pane) => pane.dataset.of === 'document'
  ? view.task.sentences : view.task.parts[panes(view).indexOf(pane) - 1].sentences;

/** @param {View} view @param {HTMLElement} pane @param {Key} key */
export function walk(view, pane, { key, shiftKey }) {
  const before = view.pick ?? view.from, [start, end] = before?.pane === pane ? before.span : [-1, -1];
  const units = ['ArrowUp', 'ArrowDown'].includes(key) ? sentences(view, pane) : words(pane.textContent);
  const on = ['ArrowDown', 'ArrowRight'].includes(key);
  const ends = units.map(unit => unit[1]).filter(to => to > start);
  /** @type {Span | undefined} */
  const moved = shiftKey && start >= 0
    ? [start, (on ? ends.find(to => to > end) : ends.findLast(to => to < end)) ?? end]
    : on ? units.find(([from]) => from > start) : units.findLast(([from]) => from < start);
  if (!moved) return;
  view.pick = { pane, span: moved };
  marks(view);
  pane.querySelector('.picked')?.scrollIntoView({ block: 'nearest' });
}

/** @param {View} view @param {HTMLElement} pane */
export const receiver = (view, pane) => {
  const asked = open_ones(view);
  /** @param {Question | undefined} question */
  const fits = question => (question?.kind === 'span' && question.of === pane.dataset.of) || (question?.kind === 'link' && ['summary', 'document'].includes(pane.dataset.of ?? ''));
  return [asked[view.active], ...asked].find(fits);
};

/** @param {View} view */
export function leave(view) {
  view.pick = null;
  marks(view);
  view.$('.labeller').focus({ preventScroll: true });
}

/** @param {View} view @param {string} of */
export function look(view, of) {
  const texts = panes(view).filter(pane => pane.dataset.of === of), { activeElement } = view.root;
  const at = activeElement instanceof HTMLElement ? texts.indexOf(activeElement) : -1;
  texts[(at + 1) % texts.length]?.focus();
}
