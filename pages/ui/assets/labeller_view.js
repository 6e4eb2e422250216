// What every part of the labeller builds on: the time of the task in hand, its draft, and what this tab stores of it.

/** @import { Press, StashedAnswers, Task, View } from './types.d.ts' */

const IDLE_MS = 30000, DRAFT_MS = 500;
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

/** @param {View} view */
export function scheduleDraft(view) {
  clearTimeout(view.timer);
  if (view.outbox.length) return;  // what was pressed before comes first
  view.timer = setTimeout(() => {
    Object.assign(view, { timer: 0, sentAt: performance.now() });  // nothing is typed that is not on its way
    view.seq += 1;
    view.component.setStateValue('draft', { reservation: view.task.reservation, answers: view.answers, seq: view.seq, ...times(view) });
  }, DRAFT_MS);
}

/** @param {View} view */
export function confirmDraft(view) {
  view.$('.kept').textContent = '· draft kept';
  view.unsaved = false;
  storeUnsent(view);
}

/**
 * A page that is loaded again sends on what the one before could not.
 * @param {View} view
 */
export function storeUnsent(view) {
  const current = view.unsaved ? { [view.task.reservation]: { answers: view.answers, ...times(view) } } : {};
  sessionStorage.setItem(STORED, JSON.stringify({ outbox: view.outbox, stash: { ...view.stash, ...current } }));
}

export function readUnsent() {
  /** @type {{ outbox?: Press[], stash?: Record<number, StashedAnswers> }} */
  const { outbox = [], stash = {} } = JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
  const early = (window.touchstoneKeys?.splice(0) ?? []).map(key => ({ key: key.length > 1 ? key : key.toLowerCase() }));
  return { outbox, stash, heldKeys: early, awaitsReceipt: false, sentAt: -Infinity };
}

export const isDialogOpen = () => document.querySelector('[role=dialog]') !== null;
