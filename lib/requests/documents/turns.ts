/**
 * Limits the reads of documents at servers. A few run at a time on a connection, and the others wait. Each caller may have `EACH`.
 * Equal reads are made once. A read is aborted when no caller waits for it.
 */
import { AppError } from "../../base/errors.ts";

/** Reads of one connection that a caller may have running or waiting. */
const EACH = 2;

export interface Turn {
  connectionId: string;
  uri: string;
  /** Who asks: the key that bounds what one caller may have. */
  caller: string;
  /** Reads of the connection that may run at a time. */
  atOnce: number;
  /** Aborted when the caller has left. */
  signal: AbortSignal;
}

interface Read {
  content: Promise<unknown>;
  callers: string[];
  abandon: AbortController;
}

interface Line {
  running: number;
  waiting: (() => void)[];
  /** By address. */
  reads: Map<string, Read>;
}

const lines = new Map<string, Line>();

/** Throws `throttled` if the caller has too many reads of the connection already, and as `read` does. */
export async function inTurn<T>(turn: Turn, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { connectionId, uri, caller, signal } = turn;
  if (signal.aborted) throw gone();
  const line = lines.get(connectionId) ?? { running: 0, waiting: [], reads: new Map() };
  const own = [...line.reads.values()].filter(({ callers }) => callers.includes(caller));
  const known = line.reads.get(uri);
  if (own.length >= EACH && !known)
    throw new AppError("throttled", "Your earlier documents of this server are still being read.", {
      retryAfterMs: 5_000,
    });
  lines.set(connectionId, line);
  const shared = known ?? begin(line, turn, read);
  shared.callers.push(caller);
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(gone());
  signal.addEventListener("abort", leave);
  try {
    return (await Promise.race([shared.content, left.promise])) as T;
  } finally {
    signal.removeEventListener("abort", leave);
    shared.callers.splice(shared.callers.indexOf(caller), 1);
    if (shared.callers.length === 0) {
      forget(line, turn, shared);
      shared.abandon.abort();
    }
  }
}

function begin<T>(line: Line, turn: Turn, read: (signal: AbortSignal) => Promise<T>): Read {
  const abandon = new AbortController();
  const run = async () => {
    // A read that ends hands its turn on, so `running` stays as it is.
    if (line.running >= turn.atOnce) await new Promise<void>((go) => line.waiting.push(go));
    else line.running++;
    try {
      abandon.signal.throwIfAborted();
      return await read(abandon.signal);
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else line.running--;
      forget(line, turn, shared);
    }
  };
  // Begun in a later step, when `shared` is known.
  const content = Promise.resolve().then(run);
  const shared: Read = { content, callers: [], abandon };
  line.reads.set(turn.uri, shared);
  // Everybody may have left by the time it fails; those who have not get the failure themselves.
  content.catch(() => undefined);
  return shared;
}

/** The next one who asks for this document begins a read of their own. */
function forget(line: Line, { connectionId, uri }: Turn, shared: Read): void {
  if (line.reads.get(uri) === shared) line.reads.delete(uri);
  if (line.reads.size === 0 && line.running === 0 && lines.get(connectionId) === line)
    lines.delete(connectionId);
}

/** Nobody reads this answer: whom it was for has left. */
function gone(): AppError {
  return new AppError("server_unavailable", "Nobody waits for this document any more.");
}
