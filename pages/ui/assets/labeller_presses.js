// One press is one event: an answer, or a way to another item. What is not answered yet is said before anything is sent.

/** @import { Act, View } from './types.d.ts' */
import { answerError, openQuestions } from './labeller_answers.js';
import { isPressed, sendPresses, wait } from './labeller_outbox.js';
import { activate } from './labeller_questions.js';
import { beginTask } from './labeller_task.js';
import { times } from './labeller_view.js';

/** @type {Act[]} */
export const ACTS = ['save', 'next', 'previous', 'undo', 'skip', 'flag'];
const RESPONSES = ['answer', 'skip', 'flag'];

/** @type {Record<string, Act>} */
export const ACT_KEYS = { n: 'next', p: 'previous', u: 'undo', s: 'skip', f: 'flag' };

/** @param {View} view @param {Act} act */
export function press(view, act) {
  const { mode } = view;
  const realAct = act === 'save' && (mode === 'feedback' || (mode === 'again' && !view.touched)) ? 'next' : act;
  const name = Object.keys(ACT_KEYS).find(letter => ACT_KEYS[letter] === realAct);
  if (view.outbox.length && name && ['previous', 'undo', 'next'].includes(realAct)) { view.awaitsReceipt = true; view.heldKeys.unshift({ key: name }); return; }
  if (view.pending || view.$(`button.${realAct}`).disabled) return;
  if (realAct === 'skip' || realAct === 'flag') askReason(view, realAct);
  else if (realAct !== 'save') sendPress(view, realAct, '');
  else if (isComplete(view)) sendPress(view, 'answer', '');
}

/** @param {View} view @param {'skip'|'flag'} act */
function askReason(view, act) {
  view.act = act;
  view.$('.why').hidden = false;
  view.$('.why label span').textContent = act === 'skip' ? 'Why do you skip it?' : 'What is wrong with it?';
  const box = view.$('.why input');
  box.value = '';
  box.focus();
}

/** @param {View} view */
export function giveReason(view) {
  const reason = view.$('.why input').value.trim();
  if (reason) sendPress(view, view.act, reason);
}

/** @param {View} view */
function isComplete(view) {
  const missingAt = openQuestions(view).findIndex(question => answerError(question, view.answers[question.id]));
  if (missingAt < 0) return true;
  const question = openQuestions(view)[missingAt];
  view.$('.problem').textContent = `“${question.ask}” ${answerError(question, view.answers[question.id])}.`;
  activate(view, missingAt);
  view.$('fieldset.active').scrollIntoView({ block: 'nearest' });
  return false;
}

/** @param {View} view @param {string} act @param {string} reason */
function sendPress(view, act, reason) {
  clearTimeout(view.timer);
  view.timer = 0;
  const answers = Object.fromEntries(openQuestions(view).filter(q => q.id in view.answers).map(q => [q.id, view.answers[q.id]]));
  const { reservation, revision } = view.task, event = { reservation, revision, act, reason, event_id: newEventId(), answers, seq: view.seq, touched: view.touched };
  view.outbox.push({ ...event, ...times(view), at: Date.now() });
  view.unsaved = false;
  view.$('.problem').textContent = '';
  const { ahead, mode } = view.component.data, goesOn = RESPONSES.includes(act) && [mode, view.mode].every(taskMode => taskMode === 'work');
  if (goesOn && ahead && !isPressed(view, ahead)) beginTask(view, ahead, 'work');
  else wait(view);
  enableButtons(view);
  sendPresses(view);
}

const newEventId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

/** @param {View} view */
export function enableButtons(view) {
  const { can } = view.component.data, { mode } = view, isFeedback = mode === 'feedback';
  view.$('.labeller').setAttribute('aria-busy', String(view.outbox.length > 0));
  for (const act of ACTS) view.$(`button.${act}`).disabled = Boolean(view.pending) || !can[act];
  view.$('.save').hidden = isFeedback;
  view.$('.next').hidden = !can.next;
  view.$('.next').classList.toggle('main', isFeedback);
  view.$('.next kbd').textContent = isFeedback ? 'Enter' : 'N';
  view.$('.save span').textContent = view.pending ? 'Saving…' : mode === 'revealed' ? 'Save again' : 'Save';
  view.$('.undo span').textContent = mode === 'again' ? 'Undo this' : 'Undo last';
}
