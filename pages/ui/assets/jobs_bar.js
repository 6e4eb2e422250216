/** @import { JobRow, JobsBar } from './types.d.ts' */
import { element, finder, put } from './dom.js';

/** @type {WeakMap<ShadowRoot, JobsBar>} */
const bars = new WeakMap();

const LOOK_MS = 1500, IDLE_MS = 15000;

/** @param {JobsBar['component']} component */
export default function (component) {
  const root = component.parentElement;
  const bar = bars.get(root) ?? openBar(root, component);
  bar.component = component;
  if (component.data.jobs.length || !bar.jobs.length) showJobs(bar, component.data.jobs);
  clearTimeout(bar.timer);
  bar.timer = setTimeout(() => look(bar), LOOK_MS);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => {
    if (root.host.isConnected) return;
    clearTimeout(bar.timer);
    removeEventListener('keydown', bar.keys);
    removeEventListener('pointerdown', bar.outside);
    bars.delete(root);
  };
}

/** @param {ShadowRoot} root @param {JobsBar['component']} component */
function openBar(root, component) {
  const $ = finder(root);
  /** @type {JobsBar} */
  const bar = {
    $, component, jobs: [], timer: 0,
    keys: event => { if (event.key === 'Escape') unfold(bar, false); },
    outside: event => { if (!event.composedPath().includes(root.host)) unfold(bar, false); },
  };
  bars.set(root, bar);
  addEventListener('keydown', bar.keys);
  addEventListener('pointerdown', bar.outside);
  $('.summary').addEventListener('click', () => unfold(bar, Boolean($('.list').hidden)));
  $('.notify').addEventListener('click', async () => { await Notification.requestPermission(); offerNotice(bar); });
  $('.jobs').addEventListener('click', event => {
    const button = event.target instanceof Element && event.target.closest('button');
    if (!(button instanceof HTMLElement)) return;
    const { id = '', action = '' } = button.dataset;
    bar.component.setTriggerValue('press', { id, action, at: Date.now() });
    if (action === 'open') unfold(bar, false);
    clearTimeout(bar.timer);
    bar.timer = setTimeout(() => look(bar), LOOK_MS / 3);
  });
  return bar;
}

/** @param {JobsBar} bar @param {boolean} open */
function unfold(bar, open) {
  bar.$('.list').hidden = !open;
  bar.$('.summary').setAttribute('aria-expanded', String(open));
  if (open) offerNotice(bar);
}

/** Permission is asked once, by a press; pages without HTTPS have no notifications. @param {JobsBar} bar */
function offerNotice(bar) {
  bar.$('.notify').hidden = typeof Notification === 'undefined' || Notification.permission !== 'default';
}

/** @param {JobsBar} bar */
async function look(bar) {
  let wait = IDLE_MS;
  try {
    const answer = await fetch(bar.component.data.path, { headers: { accept: 'application/json' } });
    if (answer.status === 403) return; // signed out: the page says so at its next press
    if (answer.ok) showJobs(bar, (await answer.json()).jobs);
    if (bar.jobs.some(job => job.state === 'running')) wait = LOOK_MS;
  } catch { /* the server is away; the page says so itself */ }
  clearTimeout(bar.timer);
  if (bar.$('.bar').isConnected) bar.timer = setTimeout(() => look(bar), wait);
}

/** @param {JobsBar} bar @param {JobRow[]} jobs */
function showJobs(bar, jobs) {
  const before = new Map(bar.jobs.map(job => [job.id, job.state]));
  for (const job of jobs) {
    if (before.get(job.id) === 'running' && ['done', 'failed'].includes(job.state)) announce(bar, job);
  }
  bar.jobs = jobs;
  const { $ } = bar, running = jobs.filter(job => job.state === 'running');
  $('.bar').hidden = !jobs.length;
  if (!jobs.length) { unfold(bar, false); return; }
  const words = running.length > 1 ? `${running.length} jobs` : running.length ? jobName(running[0]) : `${jobName(jobs[0])} ${jobs[0].says.split(',')[0]}`;
  const shares = running.map(job => job.share).filter(share => share !== null);
  const share = shares.length ? Math.min(...shares) : null;
  const parts = [element('span', 'words', share === null ? words : `${words} ${Math.floor(100 * share)} %`)];
  if (share !== null) parts.unshift(track(share));
  $('.summary').replaceChildren(...parts);
  drawJobs(bar);
}

/** @param {JobRow} job */
const jobName = job => `${job.kind[0].toUpperCase()}${job.kind.slice(1)}`;

/** @param {number} share */
function track(share) {
  const line = element('span', 'track', '', { 'aria-hidden': 'true' }), part = element('span');
  part.style.width = `${100 * share}%`;
  line.append(part);
  return line;
}

/** Rows are changed in place, so that a button under the pointer or with the focus stays. @param {JobsBar} bar */
function drawJobs(bar) {
  const list = bar.$('.jobs');
  const rows = new Map([...list.children].map(row => [row instanceof HTMLElement ? row.dataset.id : '', row]));
  list.replaceChildren(...bar.jobs.map(job => {
    const drawn = rows.get(job.id);
    const actions = job.actions.join();
    if (drawn instanceof HTMLElement && drawn.dataset.actions === actions) { fill(drawn, job); return drawn; }
    const row = element('li', 'job', '', { 'data-id': job.id, 'data-actions': actions });
    const buttons = element('div', 'actions');
    buttons.append(...job.actions.map(action => element(
      'button', '', `${action[0].toUpperCase()}${action.slice(1)}`,
      { type: 'button', 'data-id': job.id, 'data-action': action, 'aria-label': `${action} ${job.title}` },
    )));
    row.append(element('span', 'name', `${jobName(job)}: ${job.title}`), element('div', 'line'), element('span', 'says'), element('span', 'error'), buttons);
    fill(row, job);
    return row;
  }));
}

/** @param {HTMLElement} row @param {JobRow} job */
function fill(row, job) {
  const $ = finder(row);
  put($('.says'), job.says);
  put($('.error'), job.error);
  $('.line').replaceChildren(...job.share === null || job.state !== 'running' ? [] : [track(job.share)]);
}

/** @param {JobsBar} bar @param {JobRow} job */
function announce(bar, job) {
  const sentence = `${jobName(job)} ${job.state}: ${job.title}`;
  put(bar.$('.spoken'), sentence);
  if (typeof Notification !== 'undefined' && Notification.permission === 'granted') {
    // several tabs say the same, and the browser shows notices of one tag once
    new Notification('Touchstone', { body: sentence, tag: job.id });
  }
}
