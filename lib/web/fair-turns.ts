/** Turns at what this process has little of: one who brings many waits behind themselves, and not the others. */
import { AppError } from "../base/errors.ts";
import { scope } from "../base/process/scope.ts";

export interface Shares {
  /** Works at once. */
  atOnce: number;
  /** The same of one owner; at most half of `atOnce`, so that another's begins without waiting. */
  ofOne: number;
  /** Callers of one owner that may wait; one more is refused at once. Unless given: any number. */
  waiting?: number;
  /** The longest wait in a line that stands still. */
  stillMs: number;
  /** The longest wait in a line that moves: a machine is busy, and each gets a turn. */
  waitMs: number;
}

interface Waiting {
  begin(): void;
}

/** Who waits of an owner, in the order of turns. */
interface Line {
  callers: Set<Waiting>;
  /** When somebody of this line got a turn last, or the first one came; monotonic, in ms. */
  movedAt: number;
}

/**
 * Returns a function that runs work in turn: each owner has `ofOne` at most, the rest queue by owner and take turns. A caller that
 * waited `waitMs`, or `stillMs` in a line of which nobody got a turn meanwhile, or that finds the line full, gets the error of
 * `busy`. One that has left, by `leftOf`, gets 499 `caller_left`. While nobody has to wait it counts, no more.
 */
export function fairTurns(
  { atOnce, ofOne, waiting: most = Number.POSITIVE_INFINITY, stillMs, waitMs }: Shares,
  busy: () => AppError,
  leftOf: () => AbortSignal | undefined = () => scope().left,
): <T>(owner: string, work: () => Promise<T>) => Promise<T> {
  /** What runs, by owner. */
  const running = new Map<string, number>();
  /** Waiting callers by owner, in the order of turns. */
  const waiting = new Map<string, Line>();
  let free = atOnce;

  const mayBegin = (owner: string) => free > 0 && (running.get(owner) ?? 0) < ofOne;
  const begin = (owner: string) => {
    free--;
    running.set(owner, (running.get(owner) ?? 0) + 1);
  };
  const end = (owner: string) => {
    free++;
    const left = (running.get(owner) ?? 1) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
    beginNext();
  };
  const beginNext = () => {
    for (const [owner, line] of waiting) {
      if (free === 0) return;
      if (!mayBegin(owner)) continue;
      const [next] = line.callers;
      if (!next) continue;
      line.callers.delete(next);
      line.movedAt = performance.now();
      // An owner with more waiting callers goes to the back.
      waiting.delete(owner);
      if (line.callers.size > 0) waiting.set(owner, line);
      begin(owner);
      next.begin();
    }
  };
  const turn = (owner: string) =>
    new Promise<void>((resolve, reject) => {
      const cameAt = performance.now();
      const line = waiting.get(owner) ?? { callers: new Set(), movedAt: cameAt };
      if (line.callers.size >= most) return reject(busy());
      waiting.set(owner, line);
      const left = leftOf();
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        left?.removeEventListener("abort", leave);
      };
      const endWith = (error: AppError) => {
        settle();
        line.callers.delete(caller);
        if (line.callers.size === 0 && waiting.get(owner) === line) waiting.delete(owner);
        reject(error);
      };
      const refuse = () => endWith(busy());
      const leave = () => endWith(new AppError("caller_left", "The caller closed the connection."));
      const watch = () => {
        const restMs = () =>
          Math.min(cameAt + waitMs, Math.max(cameAt, line.movedAt) + stillMs) - performance.now();
        timer = setTimeout(() => (restMs() > 0 ? watch() : refuse()), Math.max(1, restMs()));
      };
      const caller: Waiting = {
        begin: () => {
          settle();
          resolve();
        },
      };
      line.callers.add(caller);
      left?.addEventListener("abort", leave);
      if (left?.aborted) leave();
      else watch();
    });

  return async (owner, work) => {
    if (mayBegin(owner)) begin(owner);
    else await turn(owner);
    try {
      return await work();
    } finally {
      end(owner);
    }
  };
}
