// What every part of the labeller builds on: the time of the task in hand, its draft, and what this tab stores of it.

/** @import { Press, StashedAnswers, Task, View } from './types.d.ts' */

const IDLE_MS = 30000, DRAFT_MS = 500, LATEST_DRAFT_MS = 2000;
const DRAFTS = 'touchstone-draft', MONTH_MS = 30 * 24 * 3600 * 1000;
export const STORED = 'touchstone-labeller';

/**
 * Time is active while the page is seen and the last sign of life is less than half a minute old.
 * @param {View} view
 */
export function tick(view) {
  const now = performance.now();
  if (view.isVisible) view.activeMs += Math.min(now - view.lastSignAt, IDLE_MS);
  view.isVisible = !document.hidden;
  view.lastSignAt = now;
}

/** @param {View} view */
export const times = view => {
  tick(view);
  return { active_ms: Math.round(view.activeMs), wall_ms: Math.round(view.wallMs + performance.now() - view.startedAt) };
};

/** @param {View} view @param {Task} task */
export const isSameTask = (view, task) => view.task.reservation === task.reservation;

/**
 * A pause sends the draft, and so do two seconds of steady typing.
 * @param {View} view
 */
export function scheduleDraft(view) {
  if (isTrial(view)) return;
  const now = performance.now();
  if (!view.timer) view.draftDue = now + LATEST_DRAFT_MS;
  clearTimeout(view.timer);
  view.timer = 0;
  if (view.outbox.length) return;  // what was pressed before comes first
  view.timer = setTimeout(() => sendDraft(view), Math.min(DRAFT_MS, Math.max(0, view.draftDue - now)));
}

/**
 * Questions that a manager tries, of which nothing is kept.
 * @param {View} view
 */
const isTrial = view => view.task.reservation === 0;

/** @param {View} view */
function sendDraft(view) {
  clearTimeout(view.timer);
  Object.assign(view, { timer: 0, sentAt: performance.now() });  // nothing is typed that is not on its way
  view.seq += 1;
  view.component.setStateValue('draft', { reservation: view.task.reservation, answers: view.answers, seq: view.seq, ...times(view) });
}

/**
 * The page goes away, perhaps for good: what is typed is stored, and sent while there is time.
 * @param {View} view
 */
export function flushDraft(view) {
  storeUnsent(view);
  if (view.timer) sendDraft(view);
}

/** @param {View} view */
export function confirmDraft(view) {
  view.$('.kept').textContent = '· draft kept';
  view.unsaved = false;
  forgetDraft(view, view.task.reservation);
  storeUnsent(view);
}

/**
 * A page that is loaded again sends on what the one before could not; answers outlive the tab.
 * @param {View} view
 */
export function storeUnsent(view) {
  if (isTrial(view)) return;
  const { reservation, revision } = view.task;
  const current = view.unsaved ? { [reservation]: { answers: view.answers, ...times(view) } } : {};
  sessionStorage.setItem(STORED, JSON.stringify({ outbox: view.outbox, stash: { ...view.stash, ...current } }));
  if (view.unsaved) storeDraft(view, { reservation, revision, ...current[reservation] });
  for (const press of view.outbox.filter(({ act }) => act === 'answer')) storeDraft(view, press);
}

/** @param {View} view @param {number} reservation */
const draftKey = (view, reservation) => `${DRAFTS} ${view.component.data.owner} ${reservation}`;

/** @param {View} view @param {StashedAnswers & { reservation: number, revision: number }} draft */
function storeDraft(view, { reservation, revision, answers, active_ms, wall_ms }) {
  localStorage.setItem(draftKey(view, reservation), JSON.stringify({ revision, answers, active_ms, wall_ms, at: Date.now() }));
}

/** @param {View} view @param {number} reservation */
export function forgetDraft(view, reservation) { localStorage.removeItem(draftKey(view, reservation)); }

/**
 * What this person typed in a tab that is gone, if the server has nothing later.
 * @param {View} view
 * @param {Task} task
 * @returns {StashedAnswers | undefined}
 */
export function lostDraft(view, task) {
  const draft = JSON.parse(localStorage.getItem(draftKey(view, task.reservation)) ?? 'null');
  return draft && draft.revision === task.revision && draft.wall_ms > task.wall_ms ? draft : undefined;
}

export function forgetOldDrafts() {
  for (const key of Object.keys(localStorage).filter(name => name.startsWith(`${DRAFTS} `)))
    if (Date.now() - JSON.parse(localStorage.getItem(key) ?? '{}').at > MONTH_MS) localStorage.removeItem(key);
}

export function readUnsent() {
  /** @type {{ outbox?: Press[], stash?: Record<number, StashedAnswers> }} */
  const { outbox = [], stash = {} } = JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
  const early = (window.touchstoneKeys?.splice(0) ?? []).map(key => ({ key: key.length > 1 ? key : key.toLowerCase() }));
  return { outbox, stash, heldKeys: early, awaitsReceipt: false, sentAt: -Infinity };
}

export const isDialogOpen = () => document.querySelector('[role=dialog]') !== null;
