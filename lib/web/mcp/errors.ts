/** Failures as MCP has them: of the call (JSON-RPC errors), of HTTP, and of a tool (results that are errors). */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { scope } from "../../base/process/scope.ts";
import { DATABASE_RETRY_AFTER_MS } from "../tunables.ts";

/** A failure as JSON-RPC says it, and as HTTP does where the call as a whole is refused. */
export interface Failure {
  status: number;
  code: number;
  message: string;
  data: Record<string, unknown>;
  retryAfterMs?: number | undefined;
}

const PARSE_ERROR = -32700;
/** Of servers' own, by JSON-RPC. */
const SERVER_ERROR = -32000;

/** What a failure is to the client. Unexpected ones are logged, and told as generic text. */
export function failureOf(error: unknown): Failure {
  const { requestId } = scope();
  if (error instanceof AppError) {
    const code = error.code === "invalid_json" ? PARSE_ERROR : SERVER_ERROR;
    return {
      status: error.status,
      code,
      message: error.detail,
      data: { code: error.code, ...(error.errors && { errors: error.errors }), ...error.extra },
      retryAfterMs: error.retryAfterMs,
    };
  }
  if (isDatabaseDown(error)) {
    log.warn({ err: error, requestId }, "The database cannot be reached");
    return {
      status: 503,
      code: SERVER_ERROR,
      message: "The database cannot be reached just now. Call again: what has begun goes on.",
      data: { code: "database_unavailable" },
      retryAfterMs: DATABASE_RETRY_AFTER_MS,
    };
  }
  log.error({ err: error, requestId }, "A call of an agent failed");
  return {
    status: 500,
    code: ProtocolErrorCode.InternalError,
    message: "Something went wrong in Intray. Its log has the error under the request’s id.",
    data: { code: "internal", requestId },
  };
}

/** The failure of one JSON-RPC request. What the protocol itself defines stays as it is. */
export function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { code, message, data } = failureOf(error);
  const isParams = error instanceof AppError && error.code === "invalid_input";
  return new ProtocolError(isParams ? ProtocolErrorCode.InvalidParams : code, message, data);
}

/** Unknown, foreign and malformed ids get the same answer. */
export function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task, or it is not yours.");
}

/** A task has ended, and the key is away with which what it ended with is opened. */
export function endUnavailable(): AppError {
  return new AppError(
    "content_unavailable",
    "What this task ended with can’t be opened just now. Ask again: it is kept.",
  );
}

export function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
}

/** Failures of the process or the call as such; every other coded failure is something that an agent can act on. */
const NO_RESULTS = new Set(["throttled", "database_unavailable", "database_busy", "content_unavailable"]);

/**
 * A refusal that the model should read, as a tool's result: it can send other arguments, or tell its user. Returns null for
 * failures that are no answer of the tool.
 */
export function refusalResult(error: unknown): CallToolResult | null {
  if (!(error instanceof AppError) || NO_RESULTS.has(error.code)) return null;
  const fields = (error.errors ?? []).map(({ field, message }) => `${field || "arguments"}: ${message}`);
  return {
    isError: true,
    content: [{ type: "text", text: [error.detail, ...fields].join("\n") }],
    structuredContent: {
      code: error.code,
      message: error.detail,
      ...(error.errors && { errors: error.errors }),
      ...error.extra,
    },
  };
}
