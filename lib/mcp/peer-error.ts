/** How calls of a peer fail. */

/**
 * What people read where a server was not reached, whether its name leads nowhere, its address is not allowed, or
 * nothing answers: one sentence, so that no tenant learns which names there are in Intray's own network.
 */
export const NOT_REACHED = "The server could not be reached, or is not allowed here.";

export type PeerErrorCode =
  | "address_not_allowed"
  | "unreachable"
  | "timeout"
  | "unauthorized"
  | "rate_limited"
  | "session_gone"
  /** No further session: the server holds as many as it will. */
  | "sessions_full"
  /** The headers do not repeat the body as the tool's schema asks (-32020): the schema has changed. */
  | "header_mismatch"
  | "task_not_found"
  | "not_ready"
  | "rejected"
  | "not_supported"
  /** No answer that makes sense: the server broke down over the call (HTTP 500, -32603), or speaks in riddles. */
  | "bad_reply"
  | "too_large";

/**
 * Every failure of a peer. `reached` says whether the server may have acted on the call: `no` = the request never
 * left or was refused before it was read, so it may be repeated; `maybe` = outcome unknown, never repeat a call
 * with side effects; `yes` = the server answered. `rpcError` and `httpStatus` come from the server: untrusted text.
 */
export class PeerError extends Error {
  readonly code: PeerErrorCode;
  readonly reached: "no" | "maybe" | "yes";
  readonly httpStatus: number | null;
  readonly rpcError: { code: number; message: string; data?: unknown } | null;
  readonly retryAfterMs: number | null;
  /** 403: the rights that the call takes and the token has not (RFC 6750, insufficient_scope). Untrusted. */
  readonly neededScope: string | null;
  /** 3xx: the address that the server wants to be asked at, which Intray did not follow to. Untrusted. */
  readonly redirectsTo: string | null;

  constructor(
    code: PeerErrorCode,
    reached: "no" | "maybe" | "yes",
    message: string,
    detail: {
      cause?: unknown;
      httpStatus?: number;
      rpcError?: { code: number; message: string; data?: unknown };
      retryAfterMs?: number;
      neededScope?: string;
      redirectsTo?: string;
    } = {},
  ) {
    super(message, { cause: detail.cause });
    this.name = "PeerError";
    this.code = code;
    this.reached = reached;
    this.httpStatus = detail.httpStatus ?? null;
    this.rpcError = detail.rpcError ?? null;
    this.retryAfterMs = detail.retryAfterMs ?? null;
    this.neededScope = detail.neededScope ?? null;
    this.redirectsTo = detail.redirectsTo ?? null;
  }
}

/** No call could be made: the connection's tokens could not be read here, which says nothing of the server. */
export class TokensUnreadable extends PeerError {
  constructor(cause: unknown) {
    super("unreachable", "no", "The connection’s tokens can’t be read just now.", { cause });
    this.name = "TokensUnreadable";
  }
}

/** No call can be made: a person has to sign in first. The message is for everyone's eyes. */
export class SignInNeeded extends PeerError {
  constructor(message: string) {
    super("unauthorized", "no", message);
    this.name = "SignInNeeded";
  }
}
