import { log } from "../log.ts";

/** An error that both SDKs send unchanged: they read `code` and `data`. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (message: string, data?: unknown) => new RpcError(-32602, message, data);

/**
 * Wraps a request handler: errors not meant for the client are logged, and the client learns only of a
 * failure.
 */
export function safely<A extends unknown[], R>(
  handler: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await handler(...args);
    } catch (error) {
      if (error instanceof Error && "code" in error && typeof error.code === "number") throw error;
      log.error("a request failed", error);
      throw new RpcError(-32603, "Internal error");
    }
  };
}
