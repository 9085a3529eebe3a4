/** Calls with expiring tokens: renews a token that the server rejects, and repeats the call once. */
import type { Access } from "../peer.ts";
import { PeerError } from "../peer-error.ts";

/**
 * Runs `call` with a valid token. After a 401 any call may be repeated, since the server refused it before
 * acting. The caller's deadline covers both attempts. Throws like `call` and `access`.
 */
export async function withAccess<T>(
  access: Access | undefined,
  call: (token: string | null) => Promise<T>,
): Promise<T> {
  if (!access) return call(null);
  const token = access.current() ?? (await access.fresh());
  try {
    return await call(token);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (error.neededScope !== null) await access.exhausted(token, error.neededScope);
    if (error.httpStatus !== 401 || !(await access.refused(token))) throw error;
  }
  const next = await access.fresh();
  try {
    return await call(next);
  } catch (error) {
    if (isRefusal(error) && error.httpStatus === 401) await access.exhausted(next, null);
    throw error;
  }
}

function isRefusal(error: unknown): error is PeerError {
  return error instanceof PeerError && error.code === "unauthorized" && error.reached === "yes";
}
