/** A protocol message as a command to repeat it with, for those who build servers. What is secret becomes a variable. */

import { headerValue, parameterHeaders } from "../mcp/wire/headers.ts";
import type { TaskMessage } from "./schema.ts";

interface Endpoint {
  url: string;
  era: string | null;
  authKind: "none" | "bearer" | "oauth";
}

type Body = Record<string, unknown>;

/** As it was sent over HTTP; null for what was received. `inputSchema`: of the tool, which may send arguments as headers. */
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

/** The message on one line, as a program reads it on its stdin, its secrets as `$NAMES`. */
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

/** lib/protocol-messages/mask.ts hides secrets with these, and says with those what it left out. */
const MASK = "•••";
const CUT = /^…|… \(\d+ characters\)$/;

function isCut(value: unknown): boolean {
  if (typeof value === "string") return CUT.test(value);
  if (!isObject(value) && !Array.isArray(value)) return false;
  return Object.entries(value).some(([name, inner]) => CUT.test(name) || isCut(inner));
}

/** Marks what the shell puts in: characters that nobody types, around one of our own names. */
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

/** One word for the shell, in which nothing but our variables means anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll(VARIABLE, `'"$$$1"'`)}'`;
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
