const desks = new WeakMap();
const IDLE_MS = 30000;
const DRAFT_MS = 600;

export default function (component) {
  const root = component.parentElement;
  const desk = desks.get(root) ?? open(root);
  desk.component = component;
  receive(desk);
  return () => { if (!root.host.isConnected) close(desk, root); };
}

function open(root) {
  const $ = selector => root.querySelector(selector);
  const desk = { $, shown: null, answers: {}, active: 0, timer: 0, busy: false, act: '', range: null };
  desks.set(root, desk);
  for (const act of ['save', 'previous', 'undo', 'skip', 'flag', 'help']) {
    $(`.${act}`).addEventListener('click', () => press(desk, act));
  }
  $('.why').addEventListener('submit', event => { event.preventDefault(); send(desk, desk.act, $('.why input').value); });
  $('.why .cancel').addEventListener('click', () => { $('.why').hidden = true; });
  $('.questions').addEventListener('submit', event => event.preventDefault());
  desk.keys = event => key(desk, event);
  desk.alive = () => { const now = performance.now(); tick(desk, now); desk.last = now; };
  desk.select = () => remember(desk, root);
  document.addEventListener('keydown', desk.keys);
  document.addEventListener('selectionchange', desk.select);
  $('.document .text').addEventListener('pointerup', desk.select);
  $('.document .text').addEventListener('keyup', desk.select);
  for (const name of ['pointermove', 'keydown', 'scroll', 'pointerdown']) document.addEventListener(name, desk.alive, true);
  return desk;
}

function close(desk, root) {
  clearTimeout(desk.timer);
  document.removeEventListener('keydown', desk.keys);
  document.removeEventListener('selectionchange', desk.select);
  for (const name of ['pointermove', 'keydown', 'scroll', 'pointerdown']) document.removeEventListener(name, desk.alive, true);
  desks.delete(root);
}

// Time counts as active while the page is seen and the last sign of life is less than half a minute old.
function tick(desk, now) {
  if (!document.hidden && desk.last) desk.activeMs += Math.min(now - desk.last, IDLE_MS);
}

function receive(desk) {
  const { task, stamp, problem } = desk.component.data;
  desk.$('.problem').textContent = problem;
  if (stamp === desk.stamp) return;
  desk.stamp = stamp;
  desk.busy = false;
  enable(desk);
  if (problem) return;
  clearTimeout(desk.timer);
  desk.answers = structuredClone(task.answers);
  desk.began = desk.last = performance.now();
  desk.activeMs = 0;
  desk.active = 0;
  desk.range = null;
  desk.$('.why').hidden = true;
  draw(desk);
  desk.$('.document .text').scrollTop = 0;
}

const make = (tag, name, text = '') => Object.assign(document.createElement(tag), { className: name, textContent: text });

function draw(desk) {
  const { task } = desk.component.data;
  desk.$('.place').textContent = task.place;
  desk.$('.texts').classList.toggle('stacked', task.parts.length !== 2);
  desk.$('.texts').replaceChildren(...task.parts.map(part => text(part)));
  marks(desk);
  questions(desk);
}

function text({ title, pieces, style }) {
  const box = make('div', style), body = make('div', 'text');
  body.append(...pieces.map(([op, words]) => op ? make(op < 0 ? 'del' : 'ins', '', words) : document.createTextNode(words)));
  box.append(make('h3', '', title), body);
  return box;
}

// The document with the marked passages; offsets are code points, as Python counts.
function marks(desk) {
  const pane = desk.$('.document .text'), letters = Array.from(desk.component.data.task.document);
  const spans = desk.component.data.questions.filter(q => q.kind === 'span').flatMap(q => desk.answers[q.id] ?? []);
  spans.sort((a, b) => a[0] - b[0]);
  const nodes = [];
  let at = 0;
  for (const [start, end] of spans) {
    const from = Math.max(at, start);
    if (end <= from) continue;
    nodes.push(document.createTextNode(letters.slice(at, from).join('')), make('mark', '', letters.slice(from, end).join('')));
    at = end;
  }
  nodes.push(document.createTextNode(letters.slice(at).join('')));
  pane.replaceChildren(...nodes);
}

const open_ones = desk => desk.component.data.questions.filter(question =>
  Object.entries(question.when).every(([id, values]) => values.includes(desk.answers[id])));

function questions(desk) {
  const asked = open_ones(desk);
  desk.active = Math.min(desk.active, asked.length - 1);
  desk.$('.questions').replaceChildren(...asked.map((question, place) => field(desk, question, place)));
}

function field(desk, question, place) {
  const box = make('fieldset', place === desk.active ? 'active' : '');
  box.dataset.question = question.id;
  box.append(make('legend', '', question.required ? question.ask : `${question.ask} (optional)`));
  const control = { choice: options, several: options, scale: options, text: writing, edit: writing, span: passages }[question.kind];
  box.append(control(desk, question, place));
  if (question.hint) box.append(make('p', 'hint', question.hint));
  box.addEventListener('focusin', () => activate(desk, place));
  return box;
}

const choices = question => question.kind === 'scale'
  ? Array.from({ length: question.high - question.low + 1 }, (_, i) => ({ value: question.low + i, text: `${question.low + i}` }))
  : question.options;

function options(desk, question, place) {
  const row = make('div', 'options');
  choices(question).forEach(({ value, text: words, means }, i) => {
    const button = make('button', '', words);
    button.type = 'button';
    button.title = means ?? '';
    button.setAttribute('aria-pressed', chosen(desk, question, value));
    if (i < 9) button.append(make('kbd', '', i + 1));
    button.addEventListener('click', () => choose(desk, question, value, place));
    row.append(button);
  });
  return row;
}

function chosen(desk, question, value) {
  const answer = desk.answers[question.id];
  return question.kind === 'several' ? (answer ?? []).includes(value) : answer === value;
}

function choose(desk, question, value, place) {
  if (question.kind === 'several') {
    const before = desk.answers[question.id] ?? [];
    desk.answers[question.id] = before.includes(value) ? before.filter(one => one !== value) : [...before, value];
  } else {
    desk.answers[question.id] = value;
    desk.active = Math.min(place + 1, open_ones(desk).length - 1);
  }
  changed(desk);
  questions(desk);
}

function writing(desk, question) {
  const box = make('textarea', question.kind);
  box.setAttribute('aria-label', question.ask);
  box.value = desk.answers[question.id] ?? (question.kind === 'edit' ? desk.component.data.task.summary : '');
  box.maxLength = 20000;
  box.addEventListener('input', () => { desk.answers[question.id] = box.value; changed(desk); });
  box.addEventListener('keydown', event => {
    event.stopPropagation();
    desk.alive();
    if (event.key === 'Escape') box.blur();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); press(desk, 'save'); }
  });
  return box;
}

function passages(desk, question) {
  const row = make('div', 'options');
  (desk.answers[question.id] ?? []).forEach(([start, end], i, all) => {
    const words = Array.from(desk.component.data.task.document).slice(start, end).join('');
    const button = make('button', '', `${words.length > 60 ? `${words.slice(0, 60)}…` : words} ×`);
    button.type = 'button';
    button.title = 'Remove this passage';
    button.addEventListener('click', () => { desk.answers[question.id] = all.filter((_, j) => j !== i); redraw(desk); });
    row.append(button);
  });
  const add = make('button', '', 'Mark the selected words');
  add.type = 'button';
  add.append(make('kbd', '', 'M'));
  add.addEventListener('click', () => mark(desk));
  row.append(add);
  return row;
}

// What is selected in the document, kept because a click elsewhere takes the selection away.
function remember(desk, root) {
  const pane = desk.$('.document .text');
  const selection = root.getSelection ? root.getSelection() : document.getSelection();
  const found = selection?.getComposedRanges?.({ shadowRoots: [root] })[0] ?? (selection?.rangeCount ? selection.getRangeAt(0) : null);
  if (!found || !pane.contains(found.startContainer) || !pane.contains(found.endContainer) || found.collapsed) return;
  const before = document.createRange();
  before.selectNodeContents(pane);
  before.setEnd(found.startContainer, found.startOffset);
  const within = document.createRange();
  within.setStart(found.startContainer, found.startOffset);
  within.setEnd(found.endContainer, found.endOffset);
  const start = Array.from(before.toString()).length;
  desk.range = [start, start + Array.from(within.toString()).length];
}

function mark(desk) {
  const question = open_ones(desk).find(one => one.kind === 'span');
  if (!question || !desk.range) return;
  desk.answers[question.id] = [...(desk.answers[question.id] ?? []), desk.range];
  desk.range = null;
  redraw(desk);
}

function redraw(desk) { changed(desk); marks(desk); questions(desk); }

function activate(desk, place) {
  desk.active = place;
  [...desk.$('.questions').children].forEach((box, i) => box.classList.toggle('active', i === place));
}

function changed(desk) {
  desk.$('.problem').textContent = '';
  clearTimeout(desk.timer);
  desk.timer = setTimeout(() => {
    const { reservation } = desk.component.data.task;
    desk.component.setStateValue('draft', { reservation, answers: desk.answers });
  }, DRAFT_MS);
}

const typing = event => event.composedPath().some(node => node.matches?.('input, textarea, select, [contenteditable=true]'));

function key(desk, event) {
  if (event.key === 'Escape' && !desk.$('.why').hidden) { desk.$('.why').hidden = true; return; }
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const onButton = event.composedPath()[0].matches?.('button, a, summary, [role=tab], [role=option], [role=radio]');
  if (onButton && (event.key === 'Enter' || event.key === ' ')) return;
  const asked = open_ones(desk), question = asked[desk.active];
  const named = { Enter: 'save', p: 'previous', u: 'undo', s: 'skip', f: 'flag', '?': 'help' }[event.key];
  if (/^[1-9]$/.test(event.key) && question) {
    const choice = choices(question)?.[Number(event.key) - 1];
    if (choice && question.kind !== 'text') choose(desk, question, choice.value, desk.active);
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    if (event.composedPath()[0] === desk.$('.document .text')) return;
    activate(desk, Math.max(0, Math.min(asked.length - 1, desk.active + (event.key === 'ArrowDown' ? 1 : -1))));
  } else if (event.key === 't') {
    desk.$('fieldset.active textarea')?.focus();
  } else if (event.key === 'm') {
    mark(desk);
  } else if (named) {
    press(desk, named);
  } else {
    return;
  }
  event.preventDefault();
}

function press(desk, act) {
  if (act === 'help') {
    const keys = desk.$('.keys');
    keys.hidden = !keys.hidden;
    desk.$('.help').setAttribute('aria-expanded', !keys.hidden);
  } else if (desk.busy || desk.$(`.${act}`).disabled) {
    return;
  } else if (act === 'skip' || act === 'flag') {
    desk.act = act;
    desk.$('.why').hidden = false;
    desk.$('.why label span').textContent = act === 'skip' ? 'Why do you skip it?' : 'What is wrong with it?';
    desk.$('.why input').value = '';
    desk.$('.why input').focus();
  } else {
    send(desk, act === 'save' ? 'answer' : act, '');
  }
}

// One press is one event: while it is under way nothing else can be sent, and its id tells a repetition.
function send(desk, act, reason) {
  if (desk.busy) return;
  clearTimeout(desk.timer);
  desk.busy = true;
  enable(desk);
  const now = performance.now();
  tick(desk, now);
  desk.last = now;
  desk.component.setTriggerValue('sent', {
    reservation: desk.component.data.task.reservation, act, reason, event_id: id(),
    answers: Object.fromEntries(open_ones(desk).filter(q => q.id in desk.answers).map(q => [q.id, desk.answers[q.id]])),
    active_ms: Math.round(desk.activeMs), wall_ms: Math.round(now - desk.began),
  });
}

const id = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

function enable(desk) {
  const { can } = desk.component.data;
  for (const act of ['save', 'previous', 'undo', 'skip', 'flag']) {
    desk.$(`.${act}`).disabled = desk.busy || (act in can && !can[act]);
  }
}
