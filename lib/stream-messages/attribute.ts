/** Whose question it is that came on a session's stream: pure, from the row of the message and the tasks of its session. */

/** A task of the session, as it was when the message came. */
export interface SessionTask {
  id: string;
  /** Its call is under way, or nobody knows what became of it: the server's id of it is not known yet. */
  isStarting: boolean;
  /** It runs, and nothing that it asked is open. */
  awaitsQuestion: boolean;
}

export interface AskedOn {
  /** The task whose own call or `tasks/result` the stream was; null: the session's standalone stream. */
  streamTaskId: string | null;
  /** Names a task of the server's. `taskId`: ours, where that is known. */
  named: { taskId: string | null } | null;
}

/**
 * The task, or those that it may be of: a guess could show a question to people whom it is no business of. No candidate: it
 * names a task of the server's that is none of ours.
 */
export function attribute(
  message: AskedOn,
  tasks: SessionTask[],
): { taskId: string } | { candidates: string[] } {
  const { named, streamTaskId } = message;
  if (named?.taskId) return { taskId: named.taskId };
  const starting = tasks.filter(({ isStarting }) => isStarting);
  if (named) {
    // A task of which nobody knows yet: one that is being started here.
    const own = starting.filter(({ id }) => id === streamTaskId);
    return toVerdict(streamTaskId === null ? starting : own);
  }
  if (streamTaskId !== null) return { taskId: streamTaskId };
  if (tasks.length === 1) return toVerdict(tasks);
  const asking = tasks.filter(({ isStarting, awaitsQuestion }) => isStarting || awaitsQuestion);
  // None seems to wait, and one has asked.
  return toVerdict(asking.length > 0 ? asking : tasks);
}

function toVerdict(tasks: SessionTask[]): { taskId: string } | { candidates: string[] } {
  const [only] = tasks;
  return only && tasks.length === 1 ? { taskId: only.id } : { candidates: tasks.map(({ id }) => id) };
}

/** A candidate, as the last look at it showed it. */
export interface Candidate {
  id: string;
  /** It was looked at since the message came. */
  wasLookedAt: boolean;
  waitsUnasked: boolean;
  works: boolean;
}

/** Of the candidates that still run, the one that the server's own word leaves: it waits for an answer, all others work. */
export function attributeByStatus(candidates: Candidate[]): string | null {
  if (candidates.some(({ wasLookedAt }) => !wasLookedAt)) return null;
  const waiting = candidates.filter(({ waitsUnasked }) => waitsUnasked);
  const works = candidates.filter(({ works }) => works);
  const [only] = waiting;
  return only && waiting.length === 1 && works.length === candidates.length - 1 ? only.id : null;
}
