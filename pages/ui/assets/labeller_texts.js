// The texts of a task and the words that are marked in them; offsets are code points, as Python counts.

function texts(view) {
  const { parts } = view.task, drawn = JSON.stringify(parts);
  if (drawn === view.drawn) return;
  view.drawn = drawn;
  view.$('.texts').replaceChildren(...parts.map(part => frame(part)));
  marks(view);
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

const panes = view => [view.$('.document .text'), ...view.$('.texts').querySelectorAll('.text')];

const pieces = (view, pane) => pane.dataset.of === 'document'
  ? view.task.document : view.task.parts[panes(view).indexOf(pane) - 1].pieces;

const here = (pane, [, , side]) => (side ?? '') === pane.dataset.side;

function marks(view) {
  const asked = open_ones(view), part = { summary: 'claim', document: 'evidence' };
  for (const pane of panes(view)) {
    const { of } = pane.dataset;
    const marked = asked.filter(q => q.kind === 'span' && q.of === of).flatMap(q => view.answers[q.id] ?? []);
    const linked = asked.filter(q => q.kind === 'link').flatMap(q => (view.answers[q.id] ?? []).map(link => link[part[of]]));
    const half = of === 'summary' && view.half ? [view.half] : [];
    const spans = [...marked, ...linked, ...half].filter(span => span && here(pane, span));
    const picked = view.pick?.pane === pane ? [view.pick.span] : [];
    pane.replaceChildren(...nodes(pieces(view, pane), spans, picked));
  }
}

function nodes(pieces, spans, picked) {
  let at = 0;
  const laid = pieces.map(([op, words, headings = []]) =>
    ({ op, headings, start: at, letters: Array.from(words), end: at += Array.from(words).length }));
  const cuts = [...spans, ...picked].flatMap(([start, end]) => [start, end]);
  return laid.flatMap(({ op, headings, start, end, letters }) => {
    const borders = [...new Set([start, ...cuts.filter(cut => cut > start && cut < end), end])].sort((a, b) => a - b);
    return [...headings.map(heading), ...borders.slice(1).map((to, i) => node(op, letters.slice(borders[i] - start, to - start).join(''),
      [spans, picked].map(all => all.some(([from, until]) => from <= borders[i] && to <= until))))];
  });
}

// CSS prints the name of a context, which is no word of the document: neither marked nor counted.
function heading([kind, label]) {
  const node = make('span', `heading ${kind}`);
  node.dataset.label = label;
  return node;
}

const TAGS = { '-1': 'del', 1: 'ins', 2: 'b', 3: 'em' };

function node(op, words, [marked, picked]) {
  const text = marked || picked ? make('mark', picked ? 'picked' : '', words) : document.createTextNode(words);
  if (!TAGS[op]) return text;
  const around = make(TAGS[op]);
  around.append(text);
  return around;
}

// Words are chosen with the mouse, or with arrows in a text that has the focus.
function remember(view) {
  const selection = view.root.getSelection ? view.root.getSelection() : document.getSelection();
  const found = selection?.getComposedRanges?.({ shadowRoots: [view.root] })[0] ?? (selection?.rangeCount ? selection.getRangeAt(0) : null);
  if (!found || found.collapsed) return;
  const pane = panes(view).find(one => one.contains(found.startContainer) && one.contains(found.endContainer));
  if (!pane || !receiver(view, pane)) return;
  const before = document.createRange(), within = document.createRange();
  before.selectNodeContents(pane);
  before.setEnd(found.startContainer, found.startOffset);
  within.setStart(found.startContainer, found.startOffset);
  within.setEnd(found.endContainer, found.endOffset);
  const start = Array.from(before.toString()).length;
  // not drawn: the browser shows the selection itself, and drawing would take it away
  view.pick = { pane, span: [start, start + Array.from(within.toString()).length] };
}

const WORD = /[\p{L}\p{N}_]+(?:[^\s\p{L}\p{N}_][\p{L}\p{N}_]+)*/gu;

function words(text) {
  let unit = 0, point = 0;
  const point_at = to => { point += Array.from(text.slice(unit, to)).length; unit = to; return point; };
  return Array.from(text.matchAll(WORD), ({ index, 0: word }) => [point_at(index), point_at(index + word.length)]);
}

const sentences = (view, pane) => pane.dataset.of === 'document'
  ? view.task.sentences : view.task.parts[panes(view).indexOf(pane) - 1].sentences;

function walk(view, pane, { key, shiftKey }) {
  const before = view.pick ?? view.from, [start, end] = before?.pane === pane ? before.span : [-1, -1];
  const units = ['ArrowUp', 'ArrowDown'].includes(key) ? sentences(view, pane) : words(pane.textContent);
  const on = ['ArrowDown', 'ArrowRight'].includes(key);
  const ends = units.map(unit => unit[1]).filter(to => to > start);
  const moved = shiftKey && start >= 0
    ? [start, (on ? ends.find(to => to > end) : ends.findLast(to => to < end)) ?? end]
    : on ? units.find(([from]) => from > start) : units.findLast(([from]) => from < start);
  if (!moved) return;
  view.pick = { pane, span: moved };
  marks(view);
  pane.querySelector('.picked')?.scrollIntoView({ block: 'nearest' });
}

const receiver = (view, pane) => {
  const asked = open_ones(view), fits = question => (question?.kind === 'span' && question.of === pane.dataset.of) || (question?.kind === 'link' && ['summary', 'document'].includes(pane.dataset.of));
  return [asked[view.active], ...asked].find(fits);
};

function mark(view) {
  const question = view.pick && receiver(view, view.pick.pane);
  if (!question || locked(view)) return;
  const { pane, span } = view.pick;
  if (question.kind === 'link' && !link(view, question, pane, span)) return;
  const whole = pane.dataset.side ? [...span, pane.dataset.side] : [...span];
  if (question.kind === 'span') view.answers[question.id] = [...(view.answers[question.id] ?? []), whole];
  Object.assign(view, { pick: null, from: view.pick });
  document.getSelection()?.removeAllRanges();
  redraw(view);
}

// First a claim of the summary, then the passage of the document that decides it.
function link(view, question, pane, span) {
  const claims = pane.dataset.of === 'summary';
  if (!claims && !view.half) {
    view.$('.problem').textContent = 'Mark the claim in the summary first.';
    return false;
  }
  if (!claims) view.answers[question.id] = [...(view.answers[question.id] ?? []), { claim: view.half, evidence: span }];
  view.half = claims ? span : null;
  return true;
}

function leave(view) {
  view.pick = null;
  marks(view);
  view.$('.labeller').focus({ preventScroll: true });
}

function look(view, of) {
  const all = panes(view).filter(pane => pane.dataset.of === of), at = all.indexOf(view.root.activeElement);
  all[(at + 1) % all.length]?.focus();
}
