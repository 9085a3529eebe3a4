/**
 * A moment on both clocks of this machine. The monotonic clock stops while the machine is suspended, and the
 * wall clock may be changed, so the larger difference counts.
 */
export interface Moment {
  monotonic: number;
  wall: number;
}

export function thisMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Returns the time since the moment in ms, at most: the larger difference of the two clocks. */
export function msSince({ monotonic, wall }: Moment): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
