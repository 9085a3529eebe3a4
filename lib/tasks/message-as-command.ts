/** Turns a protocol message into a command that repeats it. Secrets become shell variables. */

import { headerValue, parameterHeaders } from "../mcp/wire/headers.ts";
import type { TaskMessage } from "./task-schema.ts";

interface Endpoint {
  url: string;
  era: string | null;
  authKind: "none" | "bearer" | "oauth";
}

type Body = Record<string, unknown>;

/**
 * Returns the curl command of a message sent over HTTP, or null for a received one. `inputSchema`: the
 * tool's, which may move arguments into headers.
 */
export function asCurl(message: TaskMessage, endpoint: Endpoint, inputSchema?: unknown): string | null {
  if (message.direction !== "out" || !isObject(message.body)) return null;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(endpoint.authKind !== "none" && { authorization: `Bearer ${variable("TOKEN")}` }),
    ...(endpoint.era === "2026-07-28"
      ? headersOf20260728(message.body, inputSchema)
      : headersOf20251125(message.body)),
  };
  const lines = [
    `curl -X POST ${quoted(endpoint.url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(asJsonLine(message.body))}`,
  ];
  return [...warnings(message), lines.join(" \\\n  ")].join("\n");
}

/** The message on one line, as a stdio server reads it, with secrets as `$NAMES`. */
export function asLine(message: TaskMessage): string {
  return asJsonLine(message.body).replaceAll(VARIABLE, "$$$1");
}

function headersOf20251125(body: Body): Record<string, string> {
  if (body.method === "initialize") return {};
  return { "mcp-protocol-version": "2025-11-25", "mcp-session-id": variable("SESSION") };
}

function headersOf20260728({ method, params }: Body, inputSchema: unknown): Record<string, string> {
  const { name, arguments: args, taskId } = isObject(params) ? params : {};
  const named =
    typeof name === "string" ? headerValue(name) : taskId === undefined ? null : variable("TASK_ID");
  return {
    "mcp-protocol-version": "2026-07-28",
    ...(typeof method === "string" && { "mcp-method": method }),
    ...(named !== null && { "mcp-name": named }),
    ...(method === "tools/call" && parameterHeaders(inputSchema, args)),
  };
}

function warnings({ body }: TaskMessage): string[] {
  const method = isObject(body) ? body.method : undefined;
  return [
    ...(typeof method === "string" && HARMLESS.test(method)
      ? []
      : ["# Sent again, it does again what it did."]),
    ...(isCut(body) ? ["# Only a part of this message was kept: it cannot be sent as it stands here."] : []),
  ];
}

const HARMLESS =
  /^(initialize|ping|server\/discover|tools\/list|tasks\/(get|list|result)|notifications\/initialized)$/;

/** As in lib/history/protocol-messages/mask.ts: the mask of a secret, and the marks of omitted text. */
const MASK = "•••";
const CUT = /^…|… \(\d+ characters\)$/;

function isCut(value: unknown): boolean {
  if (typeof value === "string") return CUT.test(value);
  if (!isObject(value) && !Array.isArray(value)) return false;
  return Object.entries(value).some(([name, inner]) => CUT.test(name) || isCut(inner));
}

/** Marks a shell variable by private-use characters, which nobody types, around one of our own names. */
function variable(name: keyof typeof NAMES): string {
  return `\uE000${name}\uE001`;
}
const NAMES = { TOKEN: true, SESSION: true, TASK_ID: true, REQUEST_STATE: true, SECRET: true };
const VARIABLE = new RegExp(`\uE000(${Object.keys(NAMES).join("|")})\uE001`, "g");

function asJsonLine(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value !== "string" || !value.includes(MASK)) return value;
    if (value === MASK && name === "taskId") return variable("TASK_ID");
    if (value === MASK && name === "requestState") return variable("REQUEST_STATE");
    return value.replaceAll(MASK, variable("SECRET"));
  });
}

/** Quotes one word for the shell, so that only our own variables are expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll(VARIABLE, `'"$$$1"'`)}'`;
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
