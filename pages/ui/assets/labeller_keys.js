// Keys, swipes and presses: one press is one event; keys that come while there is nothing to press wait for it.

const typing = event => event.composedPath().some(node => node.matches?.('input, textarea, select, [contenteditable=true]'));

const inDialog = () => document.querySelector('[role=dialog]') !== null;

const NAMED = { n: 'next', p: 'previous', u: 'undo', s: 'skip', f: 'flag' };

function key(view, event) {
  if (event.key === 'Escape' && !view.$('.why').hidden) { view.$('.why').hidden = true; return; }
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || inDialog()) return;
  const at = event.composedPath()[0];
  if (['Enter', ' '].includes(event.key) && at.matches?.('button, a, summary, [role=tab], [role=option], [role=radio]')) return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (waiting(view)) hold(view, event);
  else if (heard(view, event, name, at)) event.preventDefault();
  else return;
  if (!view.$('.labeller').contains(at)) at.blur?.();  // a button that opened a dialog has focus again, and would take the next Enter
}

function heard(view, event, name, at) {
  const asked = open_ones(view), arrow = /^Arrow/.test(name);
  if (arrow && at.dataset?.of) return receiver(view, at) ? (walk(view, at, event), true) : false;
  if (name === 'ArrowUp' || name === 'ArrowDown') { step(view, asked, name === 'ArrowDown' ? 1 : -1); return true; }
  if (event.repeat) return false;
  if (name === 'Escape' && at.dataset?.of) { leave(view); return true; }
  if (/^[0-9]$/.test(name)) return number(view, asked[view.active], (Number(name) + 9) % 10);
  if (name === 'd' || name === 'w') { look(view, name === 'd' ? 'document' : 'summary'); return true; }
  if (name === 't') { write(view, asked); return true; }
  if (name === 'm' || (name === 'Enter' && at.dataset?.of && view.pick)) { mark(view); return true; }
  if (name === 'Enter') { press(view, 'save'); return true; }
  if (name in NAMED) { press(view, NAMED[name]); return true; }
  return false;
}

// A swipe turns to another item and never answers one: to the right the last one, to the left on from one that was answered.
const SWIPE_PX = 70, SWIPE_MS = 700, EDGE_PX = 24, SLOPE = 2;  // at an edge the browser has swipes of its own

function swipe_from(view, { touches, target, timeStamp }) {
  const [{ clientX: x, clientY: y }] = touches, at_edge = Math.min(x, innerWidth - x) < EDGE_PX;
  const taken = touches.length > 1 || at_edge || target.closest('textarea, input') || scrolls(target, view.$('.labeller'));
  view.swipe = taken ? null : { x, y, timeStamp };
}

function scrolls(node, top) {
  return node !== top && (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== 'visible' || scrolls(node.parentElement, top));
}

function swipe_to(view, { changedTouches: [{ clientX, clientY }], timeStamp }) {
  const from = view.swipe;
  view.swipe = null;
  if (!from || timeStamp - from.timeStamp > SWIPE_MS || waiting(view) || inDialog() || !document.getSelection().isCollapsed) return;
  const [right, down] = [clientX - from.x, clientY - from.y];
  if (Math.abs(right) < SWIPE_PX || Math.abs(right) < SLOPE * Math.abs(down)) return;
  press(view, right > 0 ? 'previous' : 'next');
}

function step(view, asked, by) {
  activate(view, Math.max(0, Math.min(asked.length - 1, view.active + by)));
  view.$('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

function number(view, question, i) {
  if (['span', 'link'].includes(question?.kind)) { drop(view, question, i); return true; }
  const choice = question && choices(question)[i];
  if (!choice) return false;
  choose(view, question, choice.value, view.active);
  return true;
}

function write(view, asked) {
  const at = asked.findIndex((question, i) => i >= view.active && ['text', 'edit'].includes(question.kind));
  view.$('.questions').children[at]?.querySelector('textarea').focus();
}

function press(view, act) {
  const { mode } = view;
  const going = act === 'save' && (mode === 'feedback' || (mode === 'again' && !view.touched)) ? 'next' : act;
  const found = Object.entries(NAMED).find(([, named]) => named === going);
  if (view.outbox.length && ['previous', 'undo', 'next'].includes(going)) { view.held = true; view.keys.unshift({ key: found[0] }); return; }
  if (view.pending || view.$(`.${going}`).disabled) return;
  if (going === 'skip' || going === 'flag') ask(view, going);
  else if (going !== 'save') send(view, going, '');
  else if (complete(view)) send(view, 'answer', '');
}

function ask(view, act) {
  view.act = act;
  view.$('.why').hidden = false;
  view.$('.why label span').textContent = act === 'skip' ? 'Why do you skip it?' : 'What is wrong with it?';
  view.$('.why input').value = '';
  view.$('.why input').focus();
}

function give(view) {
  const reason = view.$('.why input').value.trim();
  if (reason) send(view, view.act, reason);
}

function complete(view) {
  const empty = answer => answer === undefined || answer === '' || answer?.length === 0;
  const missing = open_ones(view).findIndex(question => question.required && empty(view.answers[question.id]));
  if (missing < 0) return true;
  const asked = open_ones(view)[missing];
  view.$('.problem').textContent = `“${asked.ask}” is not answered yet.`;
  activate(view, missing);
  view.$('fieldset.active').scrollIntoView({ block: 'nearest' });
  return false;
}

function send(view, act, reason) {
  view.timer = clearTimeout(view.timer);
  const answers = Object.fromEntries(open_ones(view).filter(q => q.id in view.answers).map(q => [q.id, view.answers[q.id]]));
  const { reservation, revision } = view.task, event = { reservation, revision, act, reason, event_id: id(), answers, seq: view.seq, touched: view.touched };
  view.outbox.push({ ...event, ...times(view), at: Date.now() });
  view.unsaved = false;
  view.$('.problem').textContent = '';
  const { ahead, mode } = view.component.data, goes_on = RESPONSES.includes(act) && [mode, view.mode].every(one => one === 'work');
  if (goes_on && ahead && !pressed(view, ahead)) begin(view, ahead, 'work');
  else wait(view);
  enable(view);
  emit(view);
}

const id = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

function enable(view) {
  const { can } = view.component.data, { mode } = view, going = mode === 'feedback';
  view.$('.labeller').setAttribute('aria-busy', view.outbox.length > 0);
  for (const act of ACTS) view.$(`.${act}`).disabled = Boolean(view.pending) || !can[act];
  view.$('.save').hidden = going;
  view.$('.next').hidden = !can.next;
  view.$('.next').classList.toggle('main', going);
  view.$('.next kbd').textContent = going ? 'Enter' : 'N';
  view.$('.save span').textContent = view.pending ? 'Saving…' : mode === 'revealed' ? 'Save again' : 'Save';
  view.$('.undo span').textContent = mode === 'again' ? 'Undo this' : 'Undo last';
}
