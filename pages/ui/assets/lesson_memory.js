// The lessons that were done to their end in this browser.

const LESSONS = 'touchstone-lessons';

/** @returns {string[]} */
export const doneLessons = () => JSON.parse(localStorage.getItem(LESSONS) ?? '[]');

/** @param {string} lesson */
export function rememberLesson(lesson) {
  localStorage.setItem(LESSONS, JSON.stringify([...new Set([...doneLessons(), lesson])]));
}
