// One press is one event: an answer, or a way to another item. What is not answered yet is said before anything is sent.

/** @import { Act, View } from './types.d.ts' */
import { open_ones, unfinished } from './labeller_answers.js';
import { emit, pressed, wait } from './labeller_outbox.js';
import { activate } from './labeller_questions.js';
import { begin } from './labeller_task.js';
import { times } from './labeller_view.js';

/** @type {Act[]} */
export const ACTS = ['save', 'next', 'previous', 'undo', 'skip', 'flag'];
const RESPONSES = ['answer', 'skip', 'flag'];

/** @type {Record<string, Act>} */
export const NAMED = { n: 'next', p: 'previous', u: 'undo', s: 'skip', f: 'flag' };

/** @param {View} view @param {Act} act */
export function press(view, act) {
  const { mode } = view;
  const going = act === 'save' && (mode === 'feedback' || (mode === 'again' && !view.touched)) ? 'next' : act;
  const name = Object.keys(NAMED).find(letter => NAMED[letter] === going);
  if (view.outbox.length && name && ['previous', 'undo', 'next'].includes(going)) { view.held = true; view.keys.unshift({ key: name }); return; }
  if (view.pending || view.$(`button.${going}`).disabled) return;
  if (going === 'skip' || going === 'flag') ask(view, going);
  else if (going !== 'save') send(view, going, '');
  else if (complete(view)) send(view, 'answer', '');
}

/** @param {View} view @param {'skip'|'flag'} act */
function ask(view, act) {
  view.act = act;
  view.$('.why').hidden = false;
  view.$('.why label span').textContent = act === 'skip' ? 'Why do you skip it?' : 'What is wrong with it?';
  const box = view.$('.why input');
  box.value = '';
  box.focus();
}

/** @param {View} view */
export function give(view) {
  const reason = view.$('.why input').value.trim();
  if (reason) send(view, view.act, reason);
}

/** @param {View} view */
function complete(view) {
  const missing = open_ones(view).findIndex(question => unfinished(question, view.answers[question.id]));
  if (missing < 0) return true;
  const asked = open_ones(view)[missing];
  view.$('.problem').textContent = `“${asked.ask}” ${unfinished(asked, view.answers[asked.id])}.`;
  activate(view, missing);
  view.$('fieldset.active').scrollIntoView({ block: 'nearest' });
  return false;
}

/** @param {View} view @param {string} act @param {string} reason */
function send(view, act, reason) {
  clearTimeout(view.timer);
  view.timer = 0;
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

/** @param {View} view */
export function enable(view) {
  const { can } = view.component.data, { mode } = view, going = mode === 'feedback';
  view.$('.labeller').setAttribute('aria-busy', String(view.outbox.length > 0));
  for (const act of ACTS) view.$(`button.${act}`).disabled = Boolean(view.pending) || !can[act];
  view.$('.save').hidden = going;
  view.$('.next').hidden = !can.next;
  view.$('.next').classList.toggle('main', going);
  view.$('.next kbd').textContent = going ? 'Enter' : 'N';
  view.$('.save span').textContent = view.pending ? 'Saving…' : mode === 'revealed' ? 'Save again' : 'Save';
  view.$('.undo span').textContent = mode === 'again' ? 'Undo this' : 'Undo last';
}
