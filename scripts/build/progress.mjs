/** How often a long step says that it goes on. */
const EVERY_MS = 30_000;

/**
 * Does the work, and says every half a minute that it goes on: whoever reads a log sees nothing else of it. Plain
 * JavaScript, since it runs before anything is installed.
 * @template T
 * @param {string} what a sentence's beginning: `Still building the app`
 * @param {(line: string) => void} say
 * @param {() => Promise<T>} work
 * @param {number} everyMs
 * @returns {Promise<T>}
 */
export async function withProgress(what, say, work, everyMs = EVERY_MS) {
  const startedAt = Date.now();
  const timer = setInterval(
    () => say(`${what}, after ${Math.round((Date.now() - startedAt) / 1000)} s …`),
    everyMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
