// What was pressed and has no receipt. A press is sent until the server has it; the same event is known where it was kept.

/** @import { Find, Press, Task, View } from './types.d.ts' */
import { forgetDraft, isDialogOpen, scheduleDraft, STORED, storeUnsent, times } from './labeller_view.js';

const LOST_MS = 2000;
const SLOW = 'This is not saved yet. It is kept on this page and sent until it is saved.';

/** @param {View} view @param {Task} task */
export const isPressed = (view, task) => view.outbox.some(press => press.reservation === task.reservation);

/** @param {View} view */
export function wait(view) {
  view.pending = view.outbox.at(-1) ?? true;
  if (!isDialogOpen()) view.$('.labeller').focus({ preventScroll: true });
}

/**
 * Take out what the server has; gives the press that it refused.
 * @param {View} view
 */
export function takeReceipts(view) {
  const { handled, problem } = view.component.data;
  const handledPresses = view.outbox.splice(0, view.outbox.findLastIndex(press => handled.includes(press.event_id)) + 1);
  view.awaitsReceipt = view.awaitsReceipt && view.outbox.length > 0;
  for (const { reservation } of handledPresses) forgetDraft(view, reservation);
  const lastPress = handledPresses.at(-1);
  return problem && lastPress && lastPress.event_id === handled.at(-1) ? lastPress : null;
}

/**
 * What was refused comes back with its answers, and what was answered after it waits for its turn.
 * @param {View} view
 * @param {Press} refused
 * @param {Task|null|undefined} target
 */
export function putBack(view, refused, target) {
  for (const press of view.outbox.filter(({ act }) => act === 'answer')) view.stash[press.reservation] = press;
  if (!view.pending && view.touched) view.stash[view.task.reservation] = { answers: view.answers, ...times(view) };
  if (refused.revision === target?.revision) view.stash[refused.reservation] = refused;
  Object.assign(view, { outbox: [], heldKeys: [], awaitsReceipt: false });
}

/** @param {View} view */
export function sendPresses(view) {
  view.sentAt = performance.now();
  storeUnsent(view);
  view.component.setTriggerValue('sent', { presses: view.outbox });
}

const app = () => /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="stApp"]'))?.dataset;

/**
 * Whatever was lost is sent again once the page is at rest; while the database is away, the page asks for it.
 * @param {View} view
 */
export function resendLost(view) {
  const { testScriptState: script, testConnectionState: connection } = app() ?? {}, { away } = view.component.data;
  const due = performance.now() - view.sentAt > LOST_MS;
  if (connection !== 'CONNECTED') view.sentAt = -Infinity;  // the next session is told at once
  else if (script === 'notRunning' && due && (view.outbox.length || away)) sendPresses(view);
  else if (script === 'notRunning' && due && view.unsaved && !view.timer) scheduleDraft(view);
  showDelay(view);
}

/** @param {View} view */
export function showDelay(view) {
  const { away } = view.component.data, [first] = view.outbox;
  const slow = first && Date.now() - first.at > LOST_MS ? SLOW : '';
  const words = away || slow;
  if (view.$('.away').textContent !== words) view.$('.away').textContent = words;
}

/**
 * The tab that was opened second is told; what both answer is refused by the server.
 * @param {Find} $
 */
export function watchOtherTabs($) {
  const channel = new BroadcastChannel(STORED);
  channel.onmessage = ({ data }) => {
    if (data === 'opened') channel.postMessage('open already');
    else $('.second').hidden = false;
  };
  channel.postMessage('opened');
  return channel;
}
