/**
 * How long keys and buttons wait for a person, in ms. A journey in a browser may set other values: on a stalled
 * machine these would take the test for a slow person, or its press for a held one.
 */
const TIMINGS = {
  /** The second key counts this long after G. */
  go: 2_000,
  /** A button that destroys is held this long: longer than any slip of a finger, shorter than patience. */
  hold: 1_000,
  /**
   * A press this soon after a request opened by itself is meant for the one before, whose button stood there:
   * nobody has read the request yet.
   */
  unread: 600,
};

export type Timings = typeof TIMINGS;

/**
 * Names the values that a journey sets. Only a script of the page can set a symbol: no address, markup, storage
 * or other origin can, so none of them can switch a guard off.
 */
const SET = Symbol.for("intray.timings");

/** Returns the time in ms. Read at each use, so that a journey can change it on an open page. */
export function timing(name: keyof Timings): number {
  const set = (globalThis as { [SET]?: Partial<Timings> })[SET]?.[name];
  return typeof set === "number" ? set : TIMINGS[name];
}
