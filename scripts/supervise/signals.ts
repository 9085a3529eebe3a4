/**
 * Signals within this time count as one: under `npm start` one Ctrl-C arrives several times, from the
 * terminal, and passed on by npm and by the bootstrap.
 */
const oneMs = 500;

export function countSignals(on: { first: () => void; second: () => void }): void {
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      const now = performance.now();
      if (now - lastAt < oneMs) return;
      lastAt = now;
      count += 1;
      if (count === 1) on.first();
      else on.second();
    });
  }
  // The bootstrap was killed outright, so no signal would reach us any more.
  if (process.send) process.once("disconnect", on.first);
}
