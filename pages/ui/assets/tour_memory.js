// What is stored of tours: of this tab, the tour or lesson under way; of this browser, the lessons done to their end and that the marks
// of a first visit were dismissed.

/** @import { StoredTour } from './types.d.ts' */

const TOUR = 'touchstone-tour', LESSONS = 'touchstone-lessons', MARKS = 'touchstone-coach-marks';

export const storedTour = () => /** @type {StoredTour | null} */ (JSON.parse(sessionStorage.getItem(TOUR) ?? 'null'));

/** @param {Partial<StoredTour>} change */
export function storeTour(change) {
  const empty = { token: '', lesson: '', at: 0, plays: false, passed: [] };
  sessionStorage.setItem(TOUR, JSON.stringify({ ...empty, ...storedTour(), since: Date.now(), ...change }));
}

export const areMarksDismissed = () => localStorage.getItem(MARKS) !== null;

export function dismissMarks() { localStorage.setItem(MARKS, 'dismissed'); }

/** @returns {string[]} */
export const doneLessons = () => JSON.parse(localStorage.getItem(LESSONS) ?? '[]');

/** @param {string} lesson */
export function rememberLesson(lesson) {
  localStorage.setItem(LESSONS, JSON.stringify([...new Set([...doneLessons(), lesson])]));
}
