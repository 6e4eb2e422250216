// The texts of a task and the words that are marked in them; offsets are code points, as Python counts.

function texts(desk) {
  const { parts } = desk.component.data.task, drawn = JSON.stringify(parts);
  if (drawn === desk.drawn) return;
  desk.drawn = drawn;
  desk.$('.texts').replaceChildren(...parts.map(part => frame(part)));
  marks(desk);
}

function frame({ title, style, side, note }) {
  const box = make('div', style), head = make('h3', '', title), body = Object.assign(make('div', 'text'), { dir: 'auto' });
  if (note) box.title = note;
  if (side !== null) Object.assign(body, { tabIndex: 0 }).setAttribute('aria-label', title);
  body.dataset.of = side === null ? '' : 'summary';
  body.dataset.side = side ?? '';
  box.append(head, body);
  if (note) box.append(make('p', 'hint', note));
  return box;
}

const panes = desk => [desk.$('.document .text'), ...desk.$('.texts').querySelectorAll('.text')];

const pieces = (desk, pane) => pane.dataset.of === 'document'
  ? [[0, desk.task.document]] : desk.component.data.task.parts[panes(desk).indexOf(pane) - 1].pieces;

const here = (pane, [, , side]) => (side ?? '') === pane.dataset.side;

function marks(desk) {
  const asked = open_ones(desk).filter(question => question.kind === 'span');
  for (const pane of panes(desk)) {
    const spans = asked.filter(q => q.of === pane.dataset.of).flatMap(q => desk.answers[q.id] ?? []).filter(span => here(pane, span));
    const picked = desk.pick?.pane === pane ? [desk.pick.span] : [];
    pane.replaceChildren(...nodes(pieces(desk, pane), spans, picked));
  }
}

function nodes(pieces, spans, picked) {
  let at = 0;
  const laid = pieces.map(([op, words]) => ({ op, start: at, letters: Array.from(words), end: at += Array.from(words).length }));
  const cuts = [...spans, ...picked].flatMap(([start, end]) => [start, end]);
  return laid.flatMap(({ op, start, end, letters }) => {
    const borders = [...new Set([start, ...cuts.filter(cut => cut > start && cut < end), end])].sort((a, b) => a - b);
    return borders.slice(1).map((to, i) => node(op, letters.slice(borders[i] - start, to - start).join(''),
      [spans, picked].map(all => all.some(([from, until]) => from <= borders[i] && to <= until))));
  });
}

const TAGS = { '-1': 'del', 1: 'ins', 2: 'b' };

function node(op, words, [marked, picked]) {
  const text = marked || picked ? make('mark', picked ? 'picked' : '', words) : document.createTextNode(words);
  if (!TAGS[op]) return text;
  const around = make(TAGS[op]);
  around.append(text);
  return around;
}

// Words are chosen with the mouse, or with arrows in a text that has the focus.
function remember(desk) {
  const selection = desk.root.getSelection ? desk.root.getSelection() : document.getSelection();
  const found = selection?.getComposedRanges?.({ shadowRoots: [desk.root] })[0] ?? (selection?.rangeCount ? selection.getRangeAt(0) : null);
  if (!found || found.collapsed) return;
  const pane = panes(desk).find(one => one.contains(found.startContainer) && one.contains(found.endContainer));
  if (!pane || !receiver(desk, pane)) return;
  const before = document.createRange(), within = document.createRange();
  before.selectNodeContents(pane);
  before.setEnd(found.startContainer, found.startOffset);
  within.setStart(found.startContainer, found.startOffset);
  within.setEnd(found.endContainer, found.endOffset);
  const start = Array.from(before.toString()).length;
  // not drawn: the browser shows the selection itself, and drawing would take it away
  desk.pick = { pane, span: [start, start + Array.from(within.toString()).length] };
}

const WORD = /[\p{L}\p{N}_]+(?:[^\s\p{L}\p{N}_][\p{L}\p{N}_]+)*/gu;

function words(text) {
  let unit = 0, point = 0;
  const point_at = to => { point += Array.from(text.slice(unit, to)).length; unit = to; return point; };
  return Array.from(text.matchAll(WORD), ({ index, 0: word }) => [point_at(index), point_at(index + word.length)]);
}

const sentences = (desk, pane) => pane.dataset.of === 'document'
  ? desk.task.sentences : desk.component.data.task.parts[panes(desk).indexOf(pane) - 1].sentences;

function walk(desk, pane, { key, shiftKey }) {
  const before = desk.pick ?? desk.from, [start, end] = before?.pane === pane ? before.span : [-1, -1];
  const units = ['ArrowUp', 'ArrowDown'].includes(key) ? sentences(desk, pane) : words(pane.textContent);
  const on = ['ArrowDown', 'ArrowRight'].includes(key);
  const ends = units.map(unit => unit[1]).filter(to => to > start);
  const moved = shiftKey && start >= 0
    ? [start, (on ? ends.find(to => to > end) : ends.findLast(to => to < end)) ?? end]
    : on ? units.find(([from]) => from > start) : units.findLast(([from]) => from < start);
  if (!moved) return;
  desk.pick = { pane, span: moved };
  marks(desk);
  pane.querySelector('.picked')?.scrollIntoView({ block: 'nearest' });
}

const receiver = (desk, pane) => {
  const asked = open_ones(desk), fits = question => question?.kind === 'span' && question.of === pane.dataset.of;
  return [asked[desk.active], ...asked].find(fits);
};

function mark(desk) {
  const question = desk.pick && receiver(desk, desk.pick.pane);
  if (!question || locked(desk)) return;
  const { pane, span } = desk.pick, whole = pane.dataset.side ? [...span, pane.dataset.side] : [...span];
  desk.answers[question.id] = [...(desk.answers[question.id] ?? []), whole];
  Object.assign(desk, { pick: null, from: desk.pick });
  document.getSelection()?.removeAllRanges();
  redraw(desk);
}

function leave(desk) {
  desk.pick = null;
  marks(desk);
  desk.$('.labeller').focus({ preventScroll: true });
}

function look(desk, of) {
  const all = panes(desk).filter(pane => pane.dataset.of === of), at = all.indexOf(desk.root.activeElement);
  all[(at + 1) % all.length]?.focus();
}
