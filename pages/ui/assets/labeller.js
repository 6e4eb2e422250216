const desks = new WeakMap();
const IDLE_MS = 30000, DRAFT_MS = 500, LOST_MS = 2000;
const ACTS = ['save', 'next', 'previous', 'undo', 'skip', 'flag'];
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel'];

export default function (component) {
  const root = component.parentElement;
  const desk = desks.get(root) ?? open(root);
  desk.component = component;
  receive(desk);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) close(desk, root); };
}

function open(root) {
  const $ = selector => root.querySelector(selector);
  const desk = { $, root, answers: {}, active: 0, pending: null, act: '', pick: null, seq: 0, activeMs: 0, wallMs: 0 };
  desks.set(root, desk);
  for (const act of ACTS) $(`.${act}`).addEventListener('click', () => press(desk, act));
  $('.why').addEventListener('submit', event => { event.preventDefault(); give(desk); });
  $('.cancel').addEventListener('click', () => { $('.why').hidden = true; });
  $('.questions').addEventListener('submit', event => event.preventDefault());
  desk.onKey = event => key(desk, event);
  desk.onSign = () => tick(desk);
  desk.onSelect = () => remember(desk);
  document.addEventListener('keydown', desk.onKey);
  document.addEventListener('selectionchange', desk.onSelect);
  document.addEventListener('visibilitychange', desk.onSign);
  for (const sign of SIGNS) document.addEventListener(sign, desk.onSign, true);
  desk.watch = setInterval(() => sendAgain(desk), 500);
  return desk;
}

function close(desk, root) {
  clearTimeout(desk.timer);
  clearInterval(desk.watch);
  document.removeEventListener('keydown', desk.onKey);
  document.removeEventListener('selectionchange', desk.onSelect);
  document.removeEventListener('visibilitychange', desk.onSign);
  for (const sign of SIGNS) document.removeEventListener(sign, desk.onSign, true);
  desks.delete(root);
}

// ---- time: active while the page is seen and the last sign of life is less than half a minute old

function tick(desk) {
  const now = performance.now();
  if (desk.seen) desk.activeMs += Math.min(now - desk.last, IDLE_MS);
  desk.seen = !document.hidden;
  desk.last = now;
}

const times = desk => {
  tick(desk);
  return { active_ms: Math.round(desk.activeMs), wall_ms: Math.round(desk.wallMs + performance.now() - desk.began) };
};

// ---- what the server says

// A new stamp brings another task, or the same one once more. What was typed since then is older than nothing the
// server has where it is a new session after a lost connection: then it stays, and is sent again.
function receive(desk) {
  const { task, stamp, ack, problem, drafted } = desk.component.data;
  if (drafted === desk.seq && desk.seq) desk.$('.kept').textContent = '· draft kept';
  if (`${stamp} ${problem}` !== desk.told) desk.$('.problem').textContent = problem;
  desk.told = `${stamp} ${problem}`;
  if (stamp === desk.stamp) { texts(desk); preview(desk); return; }
  const lost = desk.pending && desk.pending.event_id !== ack, same = desk.task?.reservation === task.reservation;
  desk.stamp = stamp;
  if (lost && same) { emit(desk); return; }
  const answered = desk.pending;
  desk.pending = null;
  if (same && !answered && desk.touched) { desk.task = task; draw(desk); draft(desk); }
  else if (!problem) begin(desk, task);
  enable(desk);
}

function begin(desk, task) {
  clearTimeout(desk.timer);
  Object.assign(desk, { task, answers: structuredClone(task.answers), active: 0, pick: null, from: null, touched: task.changed, drawn: '' });
  Object.assign(desk, { began: performance.now(), activeMs: task.active_ms, wallMs: task.wall_ms, seen: false });
  tick(desk);
  desk.$('.why').hidden = true;
  desk.$('.kept').textContent = '';
  draw(desk);
  desk.$('.document .text').scrollTop = desk.$('.work').scrollTop = 0;
  // keys are heard at once, whichever widget brought the task
  if (!inDialog()) desk.$('.labeller').focus({ preventScroll: true });
}

const make = (tag, name = '', text = '') => Object.assign(document.createElement(tag), { className: name, textContent: text });

function draw(desk) {
  const { task, said, questions: all } = desk.component.data;
  desk.$('.where').textContent = task.place;
  desk.$('.said').textContent = said ? `· ${said}` : '';
  for (const node of desk.root.querySelectorAll('.on-text')) node.hidden = !all.some(q => ['text', 'edit'].includes(q.kind));
  desk.$('.on-span').hidden = !all.some(q => q.kind === 'span');
  desk.$('.on-words').hidden = !all.some(q => q.kind === 'span' && q.of === 'summary');
  scores(desk);
  feedback(desk);
  preview(desk);
  texts(desk);
  questions(desk);
}

// ---- texts and marks; offsets are code points, as Python counts

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

// ---- choosing words: with the mouse, or with arrows in a text that has the focus

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

// ---- questions

const open_ones = desk => desk.component.data.questions.filter(question =>
  Object.entries(question.when).every(([id, values]) => values.includes(desk.answers[id])));

const locked = desk => desk.component.data.mode === 'feedback';

function questions(desk) {
  const asked = open_ones(desk), focused = desk.root.activeElement;
  const place = [focused?.closest('fieldset')?.dataset.question, focused?.dataset?.place ?? ''];
  desk.active = Math.max(0, Math.min(desk.active, asked.length - 1));
  desk.$('.questions').replaceChildren(...asked.map((question, i) => field(desk, question, i)));
  if (place[0]) desk.$(`fieldset[data-question="${place[0]}"] [data-place="${place[1]}"]`)?.focus();
}

function field(desk, question, at) {
  const box = make('fieldset', at === desk.active ? 'active' : '');
  box.dataset.question = question.id;
  box.disabled = locked(desk);
  box.append(make('legend', '', question.required ? question.ask : `${question.ask} (optional)`));
  box.append({ choice: options, several: options, scale: options, text: writing, edit: writing, span: passages }[question.kind](desk, question, at));
  if (question.hint) box.append(make('p', 'hint', question.hint));
  box.addEventListener('focusin', () => activate(desk, at));
  return box;
}

const choices = question => question.kind === 'scale'
  ? Array.from({ length: question.high - question.low + 1 }, (_, i) => ({ value: question.low + i, text: `${question.low + i}` }))
  : question.options;

function button(words, place, press) {
  const made = make('button', '', words);
  made.type = 'button';
  made.dataset.place = place;
  made.addEventListener('click', press);
  if (place < 10) made.append(make('kbd', '', (place + 1) % 10));
  return made;
}

function options(desk, question, at) {
  const row = make('div', 'options');
  choices(question).forEach(({ value, text, means }, i) => {
    const made = button(text, i, () => choose(desk, question, value, at));
    made.title = means ?? '';
    if (question.kind === 'scale') made.querySelector('kbd')?.remove();
    made.setAttribute('aria-pressed', chosen(desk, question, value));
    row.append(made);
  });
  const picked = choices(question).find(({ value, means }) => means && chosen(desk, question, value));
  if (picked) row.append(make('p', 'hint', picked.means));
  return row;
}

function chosen(desk, question, value) {
  const answer = desk.answers[question.id];
  return question.kind === 'several' ? (answer ?? []).includes(value) : answer === value;
}

function choose(desk, question, value, at) {
  if (desk.pending || locked(desk)) return;
  const before = desk.answers[question.id] ?? [], several = question.kind === 'several';
  desk.answers[question.id] = !several ? value : before.includes(value) ? before.filter(one => one !== value) : [...before, value];
  if (!several) desk.active = at + 1;
  redraw(desk);
  desk.$('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

function writing(desk, question) {
  const box = make('textarea', question.kind);
  box.setAttribute('aria-label', question.ask);
  box.dataset.place = 0;
  box.dir = 'auto';
  box.maxLength = 200000;
  box.value = desk.answers[question.id] ?? (question.kind === 'edit' ? desk.task.summary : '');
  box.addEventListener('input', () => { desk.answers[question.id] = box.value; changed(desk); });
  box.addEventListener('keydown', event => {
    // the app's own shortcuts must not hear what is typed
    event.stopPropagation();
    if (event.key === 'Escape') desk.$('.labeller').focus({ preventScroll: true });
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); press(desk, 'save'); }
  });
  return box;
}

function passages(desk, question) {
  const row = make('div', 'options');
  (desk.answers[question.id] ?? []).forEach((span, i) => {
    const made = button(`${said_at(desk, question, span)} ×`, i, () => drop(desk, question, i));
    made.title = 'Remove this passage';
    row.append(made);
  });
  const add = make('button', 'add', 'Mark the chosen words');
  add.type = 'button';
  add.append(make('kbd', '', 'M'));
  add.addEventListener('click', () => mark(desk));
  row.append(add);
  return row;
}

function said_at(desk, question, span) {
  const pane = panes(desk).find(one => one.dataset.of === question.of && here(one, span));
  const found = Array.from(pane.textContent).slice(span[0], span[1]).join('');
  return found.length > 60 ? `${found.slice(0, 60)}…` : found;
}

function drop(desk, question, i) {
  if (desk.pending || locked(desk)) return;
  desk.answers[question.id] = (desk.answers[question.id] ?? []).filter((_, j) => j !== i);
  redraw(desk);
}

function redraw(desk) { changed(desk); marks(desk); questions(desk); }

function activate(desk, at) {
  desk.active = at;
  [...desk.$('.questions').children].forEach((box, i) => box.classList.toggle('active', i === at));
}

// The change by itself, where it can be seen however long the texts are.
function preview(desk) {
  const { preview: told } = desk.component.data, box = desk.$('.preview');
  box.hidden = !told;
  if (told) box.replaceChildren(...nodes(told.pieces, [], []), make('strong', '', told.refusal));
}

// ---- what is said of an answer afterwards

function feedback(desk) {
  const { feedback: told } = desk.component.data, box = desk.$('.feedback');
  box.hidden = !told;
  if (!told) return;
  box.className = `feedback ${told.right ? 'right' : 'wrong'}`;
  const expected = told.expected.map(([ask, answer]) => make('p', '', `${ask} ${answer}`));
  box.replaceChildren(make('strong', '', told.right ? '✓ Right.' : '✗ Not as expected.'), ...(told.right ? [] : expected), make('p', '', told.words));
}

function scores(desk) {
  const { scores: rows } = desk.component.data, box = desk.$('.scores');
  box.hidden = !rows;
  if (!rows) return;
  const table = make('table');
  table.append(...[['Metric', 'Original', 'Edited'], ...rows].map((cells, i) => {
    const row = make('tr');
    row.append(...cells.map(cell => make(i ? 'td' : 'th', '', cell)));
    return row;
  }));
  const words = rows.length ? 'Your first label is kept as it is. Keep or change your answer with the scores in view: that is a second label.'
    : 'No metric was run on this item. Save again to go on.';
  box.replaceChildren(make('h3', '', 'What the metrics say'), ...(rows.length ? [table] : []), make('p', 'hint', words));
}

// ---- drafts

function changed(desk) {
  desk.touched = true;
  desk.$('.problem').textContent = desk.$('.kept').textContent = '';
  draft(desk);
}

function draft(desk) {
  clearTimeout(desk.timer);
  desk.timer = setTimeout(() => {
    desk.seq += 1;
    desk.component.setStateValue('draft', { reservation: desk.task.reservation, answers: desk.answers, seq: desk.seq, ...times(desk) });
  }, DRAFT_MS);
}

// ---- keys

const typing = event => event.composedPath().some(node => node.matches?.('input, textarea, select, [contenteditable=true]'));

const inDialog = () => document.querySelector('[role=dialog]') !== null;

const NAMED = { n: 'next', p: 'previous', u: 'undo', s: 'skip', f: 'flag' };

function key(desk, event) {
  if (event.key === 'Escape' && !desk.$('.why').hidden) { desk.$('.why').hidden = true; return; }
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || inDialog()) return;
  const at = event.composedPath()[0];
  if (['Enter', ' '].includes(event.key) && at.matches?.('button, a, summary, [role=tab], [role=option], [role=radio]')) return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (heard(desk, event, name, at)) event.preventDefault();
}

function heard(desk, event, name, at) {
  const asked = open_ones(desk), arrow = /^Arrow/.test(name);
  if (arrow && at.dataset?.of) return receiver(desk, at) ? (walk(desk, at, event), true) : false;
  if (name === 'ArrowUp' || name === 'ArrowDown') { step(desk, asked, name === 'ArrowDown' ? 1 : -1); return true; }
  if (event.repeat) return false;
  if (name === 'Escape' && at.dataset?.of) { leave(desk); return true; }
  if (/^[0-9]$/.test(name)) return number(desk, asked[desk.active], (Number(name) + 9) % 10);
  if (name === 'd' || name === 'w') { look(desk, name === 'd' ? 'document' : 'summary'); return true; }
  if (name === 't') { write(desk, asked); return true; }
  if (name === 'm' || (name === 'Enter' && at.dataset?.of && desk.pick)) { mark(desk); return true; }
  if (name === 'Enter') { press(desk, 'save'); return true; }
  if (name in NAMED) { press(desk, NAMED[name]); return true; }
  return false;
}

function step(desk, asked, by) {
  activate(desk, Math.max(0, Math.min(asked.length - 1, desk.active + by)));
  desk.$('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

function number(desk, question, i) {
  if (question?.kind === 'span') { drop(desk, question, i); return true; }
  const choice = question && choices(question)[i];
  if (!choice) return false;
  choose(desk, question, choice.value, desk.active);
  return true;
}

function write(desk, asked) {
  const at = asked.findIndex((question, i) => i >= desk.active && ['text', 'edit'].includes(question.kind));
  desk.$('.questions').children[at]?.querySelector('textarea').focus();
}

// ---- presses: one is one event; while it is under way nothing else can be sent, and its id tells a repetition

function press(desk, act) {
  const { mode } = desk.component.data;
  const going = act === 'save' && (mode === 'feedback' || (mode === 'again' && !desk.touched)) ? 'next' : act;
  if (desk.pending || desk.$(`.${going}`).disabled) return;
  if (going === 'skip' || going === 'flag') ask(desk, going);
  else if (going !== 'save') send(desk, going, '');
  else if (complete(desk)) send(desk, 'answer', '');
}

function ask(desk, act) {
  desk.act = act;
  desk.$('.why').hidden = false;
  desk.$('.why label span').textContent = act === 'skip' ? 'Why do you skip it?' : 'What is wrong with it?';
  desk.$('.why input').value = '';
  desk.$('.why input').focus();
}

function give(desk) {
  const reason = desk.$('.why input').value.trim();
  if (reason) send(desk, desk.act, reason);
}

function complete(desk) {
  const empty = answer => answer === undefined || answer === '' || answer?.length === 0;
  const missing = open_ones(desk).findIndex(question => question.required && empty(desk.answers[question.id]));
  if (missing < 0) return true;
  const asked = open_ones(desk)[missing];
  desk.$('.problem').textContent = `“${asked.ask}” is not answered yet.`;
  activate(desk, missing);
  desk.$('fieldset.active').scrollIntoView({ block: 'nearest' });
  return false;
}

function send(desk, act, reason) {
  clearTimeout(desk.timer);
  const answers = Object.fromEntries(open_ones(desk).filter(q => q.id in desk.answers).map(q => [q.id, desk.answers[q.id]]));
  desk.pending = { reservation: desk.task.reservation, act, reason, event_id: id(), answers, seq: desk.seq, touched: desk.touched, ...times(desk) };
  desk.$('.problem').textContent = '';
  enable(desk);
  emit(desk);
}

function emit(desk) {
  desk.sentAt = performance.now();
  desk.component.setTriggerValue('sent', desk.pending);
}

const app = () => document.querySelector('[data-testid="stApp"]')?.dataset;

// A click elsewhere may end the run that would have brought the receipt. The same event is known where it was kept.
function sendAgain(desk) {
  const idle = app()?.testScriptState === 'notRunning' && app()?.testConnectionState === 'CONNECTED';
  if (desk.pending && idle && performance.now() - desk.sentAt > LOST_MS) emit(desk);
}

const id = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

function enable(desk) {
  const { can, mode } = desk.component.data, going = mode === 'feedback';
  for (const act of ACTS) desk.$(`.${act}`).disabled = Boolean(desk.pending) || !can[act];
  desk.$('.save').hidden = going;
  desk.$('.next').hidden = !can.next;
  desk.$('.next').classList.toggle('main', going);
  desk.$('.next kbd').textContent = going ? 'Enter' : 'N';
  desk.$('.save span').textContent = desk.pending ? 'Saving…' : mode === 'revealed' ? 'Save again' : 'Save';
  desk.$('.undo span').textContent = mode === 'again' ? 'Undo this' : 'Undo last';
}
