/** @import { LabellerComponent, View } from './types.d.ts' */
import { finder } from './dom.js';
import { key, replay, swipe_from, swipe_to } from './labeller_keys.js';
import { look_after, other_tabs, pressed, put_back, receipts, tell, wait } from './labeller_outbox.js';
import { ACTS, enable, give, press } from './labeller_presses.js';
import { adopt, begin, head } from './labeller_task.js';
import { remember } from './labeller_texts.js';
import { kept, same, store, tick, unsent } from './labeller_view.js';

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
    $, root, component, begun: false, task, mode, answers: {}, active: 0, pending: null, act: 'skip', pick: null, from: null, half: null,
    unsaved: false, touched: false, drawn: '', asked: '', problemShown: '', stamp: null, seq: 0, timer: 0,
    activeMs: 0, wallMs: 0, began: 0, seen: false, last: 0, ...unsent(), swipe: null,
    onKey: event => key(view, event),
    onPress: act => press(view, act),
    onSign: () => tick(view),
    onSelect: () => remember(view),
    channel: other_tabs($),
    watch: setInterval(() => look_after(view), 500),
  };
  views.set(root, view);
  for (const act of ACTS) $(`.${act}`).addEventListener('click', () => press(view, act));
  $('.why').addEventListener('submit', event => { event.preventDefault(); give(view); });
  $('.cancel').addEventListener('click', () => { $('.why').hidden = true; });
  $('.questions').addEventListener('submit', event => event.preventDefault());
  $('.labeller').addEventListener('touchstart', event => swipe_from(view, event), { passive: true });
  $('.labeller').addEventListener('touchend', event => swipe_to(view, event), { passive: true });
  $('.labeller').addEventListener('touchcancel', () => { view.swipe = null; });
  document.addEventListener('keydown', view.onKey);
  document.addEventListener('selectionchange', view.onSelect);
  document.addEventListener('visibilitychange', view.onSign);
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
  for (const sign of SIGNS) document.removeEventListener(sign, view.onSign, true);
  views.delete(root);
}

/**
 * What is in hand stays as it is typed, whatever comes from the server: a receipt, the same task once more, or what is next.
 * @param {View} view
 */
function receive(view) {
  const { data } = view.component, first = !view.begun, { problem, drafted, stamp } = data;
  if (first) view.seq = drafted;  // the session before counted so far
  if (drafted === view.seq && view.seq && !view.timer) kept(view);
  if (`${stamp} ${problem}` !== view.problemShown) view.$('.problem').textContent = problem;
  view.problemShown = `${stamp} ${problem}`;
  const refused = stamp === view.stamp ? null : receipts(view);
  const target = [data.mode === 'waiting' ? null : data.task, data.ahead].find(task => task !== null && !pressed(view, task));
  const mode = target === data.task ? data.mode : 'work';
  if (refused) put_back(view, refused, target);
  if (!target) { if (first) begin(view, data.task, data.mode); wait(view); }
  else if (!first && !refused && !view.pending && same(view, target) && view.mode === mode) adopt(view, target);
  else begin(view, target, mode);
  view.begun = true;
  view.stamp = stamp;
  store(view);
  head(view);
  enable(view);
  tell(view);
  replay(view);
}
