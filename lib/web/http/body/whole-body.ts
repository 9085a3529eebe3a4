/**
 * The bodies of requests that have come whole: their bytes are taken at once, not through two streams, and nothing that is
 * held meanwhile waits for the caller.
 */

/** A symbol of all copies of this module: Next bundles its own into the process. */
const WHOLE = Symbol.for("intray.whole-body");
type Marked = Request & { [WHOLE]?: Uint8Array };

/** A request whose body is these bytes. Nothing but `wholeBodyOf` gives them: `request.body` is null. */
export function withWholeBody(request: Request, bytes: Uint8Array): Request {
  return Object.assign(request, { [WHOLE]: bytes });
}

/** The bytes of a body that has come whole; null: it has to be waited for, or there is none. */
export function wholeBodyOf(request: Request): Uint8Array | null {
  return (request as Marked)[WHOLE] ?? null;
}
