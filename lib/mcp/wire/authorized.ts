/** Calls with a token that expires: where the server refuses it, it is renewed and the call is made once more. */
import { type Access, PeerError } from "../peer.ts";

/**
 * Runs `call` with a token that may be sent. 401 says that the request was refused before it was acted on, so that it
 * may be made again whatever it is; the caller's deadline covers both. Throws as `call` and `access` do.
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
