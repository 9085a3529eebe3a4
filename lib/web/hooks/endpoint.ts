/**
 * `/hooks/…`: programs ask here before they call one of their own tools. Like calls of `/mcp`, these requests are
 * answered without Next and are held open (docs/decisions/061). Only a rule or a person lets a call pass. Everything
 * else is answered with a refusal in the program's own format, because a program that can't read an answer makes the
 * call (docs/decisions/091).
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { Spent } from "../../base/process/scope.ts";
import { decideOrAsk, deniedNow } from "../../lifecycle/program-calls/program-call-writes.ts";
import { type AgentCaller, identifyAgent } from "../auth/agent.ts";
import { countAgentCall } from "../auth/agent-use.ts";
import { originOf } from "../auth/origin.ts";
import { readJson } from "../http/body.ts";
import { toRequest } from "../http/call-server.ts";
import { countCall } from "../http/calls.ts";
import { clientAddress } from "../http/client-address.ts";
import { observe } from "../http/observe.ts";
import { setApiHeaders } from "../http/security-headers.ts";
import { failureOf } from "../mcp/errors.ts";
import { hold, refuseTooMany } from "../mcp/held/held-calls.ts";
import { HeldStream } from "../mcp/held/stream.ts";
import { within } from "../tenant.ts";
import { HELD_END_MS, HOOK_ANSWERED_BEFORE_MS, HOOK_OUTLIVED_MS, MOST_HOOK_HOLD_MS } from "../tunables.ts";
import { HeldHook } from "./held-hook.ts";
import type { HookEvent, Program } from "./program.ts";
import { PROGRAMS } from "./programs.ts";

const BY_PATH = new Map(Object.entries(PROGRAMS).map(([key, program]) => [`/hooks/${key}`, program]));

/** Answers a request if it comes from a program's hook. Returns false if it does not. */
export function serveHook(request: IncomingMessage, response: ServerResponse): boolean {
  const program = BY_PATH.get(request.url?.split("?", 1)[0] ?? "");
  if (!program) return false;
  if (request.method !== "POST") {
    response.writeHead(405, { allow: "POST" }).end();
    return true;
  }
  serve(program, request, response).catch((error: unknown) => {
    log.error({ err: error }, "An answer to a hook could not be sent");
    response.destroy();
  });
  return true;
}

async function serve(program: Program, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = randomUUID();
  const headers = new Headers({ "x-request-id": requestId, "cache-control": "no-store" });
  setApiHeaders(headers);
  for (const [name, value] of headers) response.setHeader(name, value);
  const asked = toRequest(request, response);
  const began = Date.now();
  const bodies: object[] = [];
  // Metrics and logs have the status that the API would send; the program always gets 200.
  await observe(asked, Promise.resolve({}), requestId, new Spent(), async () => {
    let event: HookEvent | null = null;
    try {
      const caller = await identifyAgent(asked);
      await countCall(caller, originOf(asked).key, "POST");
      // Strictly: the program acts on the same text, and may take another of two members of one name.
      event = program.read(await readJson(asked, undefined, undefined, undefined, true), asked.headers);
      const until = began + holdMsOf(asked);
      const body = await answer(event, until, asked, response, caller);
      if (body) bodies.push(body);
      return new Response(null);
    } catch (error) {
      const { status, message, data } = failureOf(error);
      if (status === 401 || status === 403) log.info({ code: data.code }, "a hook was refused");
      const words = `Intray did not allow it. ${message}`;
      bodies.push(event ? event.answers.deny(words) : program.refuse(words));
      return new Response(null, { status });
    }
  });
  for (const body of bodies) send(response, body);
}

/** Returns the answer, or null if the request is held: then HeldHook answers it. */
async function answer(
  { call: asked, answers, whenUndecided }: HookEvent,
  until: number,
  request: Request,
  response: ServerResponse,
  caller: AgentCaller,
): Promise<object | null> {
  const { principal, agent } = caller;
  countAgentCall(principal.organizationId, agent.id);
  refuseTooMany(caller);
  const expiresAt = new Date(until + HOOK_OUTLIVED_MS[whenUndecided]);
  const decided = await within(caller, (tx) => decideOrAsk(tx, principal, asked, expiresAt));
  if (decided.kind === "allowed") return answers.allow({ ...decided, comment: null, input: null });
  if (decided.kind === "denied") return answers.deny(decided.reason);
  const held = new HeldHook(
    decided.taskId,
    until,
    answers,
    (tx, changed) => deniedNow(tx, principal, asked, changed),
    new HeldStream(response, null),
  );
  const leave = hold(caller, clientAddress(request.headers.get("x-forwarded-for")), held);
  response.once("close", leave);
  // If the program left before its request was held, no event tells of it any more.
  if (response.destroyed || response.closed) leave();
  return null;
}

/** How long a request is held, in ms. The address names the hook's time-out, in seconds (`?timeout=600`). */
function holdMsOf(request: Request): number {
  const seconds = Number(new URL(request.url).searchParams.get("timeout") ?? Number.NaN);
  if (!(seconds > 0))
    throw new AppError(
      "invalid_input",
      "The hook’s address has to name its time-out in seconds, such as ?timeout=600.",
    );
  return Math.min(MOST_HOOK_HOLD_MS, Math.max(0, seconds * 1000 - HOOK_ANSWERED_BEFORE_MS));
}

function send(response: ServerResponse, body: object): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  response.setTimeout(HELD_END_MS, () => response.destroy());
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  response.end(bytes);
}
