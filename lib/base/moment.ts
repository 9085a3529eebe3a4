/**
 * A moment by both clocks of this machine. The monotonic one stands still while a machine is suspended, and the wall
 * clock may be set: what either says has passed may have passed.
 */
export interface Moment {
  monotonic: number;
  wall: number;
}

export function thisMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** How long ago it was at most, in ms. */
export function msSince({ monotonic, wall }: Moment): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
