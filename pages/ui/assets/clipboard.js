// Copying to the clipboard: a text, or the picture that an SVG draws; the button says whether it was copied.

/** @import { CopyForm } from './types.d.ts' */
import { put } from './dom.js';

const PIXELS_PER_UNIT = 2, MESSAGE_MS = 2000;

/**
 * Copy when the button is pressed, and say so on it for a moment.
 * @param {HTMLButtonElement} button
 * @param {CopyForm} form
 */
export function copyOnPress(button, form) {
  button.addEventListener('click', async () => {
    let message = 'Copied';
    try {
      if (form.kind === 'png') await navigator.clipboard.write([new ClipboardItem({ 'image/png': drawPng(form.content) })]);
      else await navigator.clipboard.writeText(form.content);
    } catch (error) {
      // a page without https, or a browser that was told to refuse it
      message = error instanceof Error && error.name === 'NotAllowedError' ? 'Refused by the browser' : 'Not copied';
    }
    put(button, message);
    setTimeout(() => put(button, form.label), MESSAGE_MS);
  });
}

/**
 * The picture of an SVG on white, as it is printed.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
async function drawPng(svg) {
  const image = new Image(), address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  image.src = address;
  await image.decode();
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
  canvas.width = image.naturalWidth * PIXELS_PER_UNIT;
  canvas.height = image.naturalHeight * PIXELS_PER_UNIT;
  if (!pen) throw new Error('This browser draws no pictures.');
  pen.fillStyle = '#ffffff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((resolve, reject) => {
    canvas.toBlob(blob => blob ? resolve(blob) : reject(new Error('The picture is too large.')), 'image/png');
  });
}
