/** @import { LabellerComponent, View } from './types.d.ts' */
import { finder } from './dom.js';
import { find, hearFindKey, openFind } from './labeller_find.js';
import { endSwipe, hearKey, replayKeys, startSwipe } from './labeller_keys.js';
import { isPressed, putBack, resendLost, showDelay, takeReceipts, wait, watchOtherTabs } from './labeller_outbox.js';
import { ACTS, enableButtons, giveReason, press } from './labeller_presses.js';
import { adoptTask, beginTask, drawHead } from './labeller_task.js';
import { rememberSelection } from './labeller_texts.js';
import { confirmDraft, flushDraft, forgetOldDrafts, isSameTask, readUnsent, storeUnsent, tick } from './labeller_view.js';

/** @type {WeakMap<ShadowRoot, View>} */
const views = new WeakMap();
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel'];

/** @param {LabellerComponent} component */
export default function (component) {
  const root = component.parentElement;
  const view = views.get(root) ?? open(root, component);
  view.component = component;
  receive(view);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) close(view, root); };
}

/** @param {ShadowRoot} root @param {LabellerComponent} component */
function open(root, component) {
  const $ = finder(root), { task, mode } = component.data;
  /** @type {View} */
  const view = {
    $, root, component, hasBegun: false, task, mode, answers: {}, active: 0, pending: null, act: 'skip', found: [], foundAt: -1, wordAt: -1, paragraphAt: -1, pick: null, lastPick: null, openClaim: null,
    unsaved: false, touched: false, drawnTexts: '', drawnQuestions: '', problemShown: '', stamp: null, seq: 0, timer: 0, draftDue: 0,
    activeMs: 0, wallMs: 0, startedAt: 0, isVisible: false, lastSignAt: 0, ...readUnsent(), swipe: null,
    onKey: event => hearKey(view, event),
    onPress: act => press(view, act),
    onSign: () => tick(view),
    onLeave: () => { if (document.hidden) flushDraft(view); },
    onHide: () => flushDraft(view),
    onSelect: () => rememberSelection(view),
    channel: watchOtherTabs($),
    watch: setInterval(() => resendLost(view), 500),
  };
  views.set(root, view);
  for (const act of ACTS) $(`.${act}`).addEventListener('click', () => press(view, act));
  $('.why').addEventListener('submit', event => { event.preventDefault(); giveReason(view); });
  $('.cancel').addEventListener('click', () => { $('.why').hidden = true; });
  $('.open-find').addEventListener('click', () => openFind(view));
  $('.find').addEventListener('submit', event => event.preventDefault());
  $('.find input').addEventListener('input', () => find(view, $('.find input').value));
  $('.find input').addEventListener('keydown', event => hearFindKey(view, event));
  $('.questions').addEventListener('submit', event => event.preventDefault());
  $('.labeller').addEventListener('touchstart', event => startSwipe(view, event), { passive: true });
  $('.labeller').addEventListener('touchend', event => endSwipe(view, event), { passive: true });
  $('.labeller').addEventListener('touchcancel', () => { view.swipe = null; });
  document.addEventListener('keydown', view.onKey);
  document.addEventListener('selectionchange', view.onSelect);
  document.addEventListener('visibilitychange', view.onSign);
  document.addEventListener('visibilitychange', view.onLeave);
  addEventListener('pagehide', view.onHide);
  forgetOldDrafts();
  for (const sign of SIGNS) document.addEventListener(sign, view.onSign, true);
  return view;
}

/** @param {View} view @param {ShadowRoot} root */
function close(view, root) {
  clearTimeout(view.timer);
  clearInterval(view.watch);
  view.channel.close();
  document.removeEventListener('keydown', view.onKey);
  document.removeEventListener('selectionchange', view.onSelect);
  document.removeEventListener('visibilitychange', view.onSign);
  document.removeEventListener('visibilitychange', view.onLeave);
  removeEventListener('pagehide', view.onHide);
  for (const sign of SIGNS) document.removeEventListener(sign, view.onSign, true);
  views.delete(root);
}

/**
 * What is in hand stays as it is typed, whatever comes from the server: a receipt, the same task once more, or what is next.
 * @param {View} view
 */
function receive(view) {
  const { data } = view.component, first = !view.hasBegun, { problem, drafted, stamp } = data;
  if (first) view.seq = drafted;  // the session before counted so far, and may have typed on since
  else if (drafted === view.seq && view.seq && !view.timer) confirmDraft(view);
  if (`${stamp} ${problem}` !== view.problemShown) view.$('.problem').textContent = problem;
  view.problemShown = `${stamp} ${problem}`;
  const refused = stamp === view.stamp ? null : takeReceipts(view);
  const target = [data.mode === 'waiting' ? null : data.task, data.ahead].find(task => task !== null && !isPressed(view, task));
  const mode = target === data.task ? data.mode : 'work';
  if (refused) putBack(view, refused, target);
  if (!target) { if (first) beginTask(view, data.task, data.mode); wait(view); }
  else if (!first && !refused && !view.pending && isSameTask(view, target) && view.mode === mode) adoptTask(view, target);
  else beginTask(view, target, mode);
  view.hasBegun = true;
  view.stamp = stamp;
  storeUnsent(view);
  drawHead(view);
  enableButtons(view);
  showDelay(view);
  replayKeys(view);
}
