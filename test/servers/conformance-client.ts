/**
 * Our peers as the client of the official conformance suite, which starts it: `node conformance-client.ts <url>`.
 * It finds out the era, lists the tools, and calls each of them; questions are accepted with their defaults.
 * MCP_CONFORMANCE_CONTEXT may name the calls to make, as JSON: `{toolCalls: [{name, arguments}]}`.
 */

import { createNetwork } from "../../lib/base/network.ts";
import { createPeer, openWire } from "../../lib/mcp/connect.ts";
import { discover } from "../../lib/mcp/discover.ts";
import { normaliseForm } from "../../lib/mcp/forms/question.ts";
import {
  type AnswerBody,
  type Peer,
  PeerError,
  type Question,
  type Session,
  type StartInput,
  type StreamListener,
  type Tool,
} from "../../lib/mcp/peer.ts";

const options = { deadlineMs: 10_000, replyWithinMs: 15_000 };

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** What the defaults of our form add up to. */
function acceptDefaults(question: Question): AnswerBody {
  const form = normaliseForm(question.requestedSchema);
  const fields = form.kind === "supported" ? form.fields : [];
  const defaults = fields
    .filter((field) => field.default !== null)
    .map((field) => [field.name, field.default]);
  return { action: "accept", content: Object.fromEntries(defaults) as Record<string, unknown> };
}

/** Some arguments that fit: a number or a text for each that is required. */
function someArguments(tool: Tool): Record<string, unknown> {
  const { properties = {}, required = [] } = tool.inputSchema as {
    properties?: Record<string, { type?: string }>;
    required?: string[];
  };
  return Object.fromEntries(required.map((name) => [name, properties[name]?.type === "string" ? "text" : 1]));
}

function listenerOf(peer: Peer, session: Session | null): StreamListener {
  return {
    onQuestion(question) {
      void peer.answer({ taskId: "", session }, question.address, acceptDefaults(question), options);
    },
    onRetracted() {},
    onStatus() {},
    onProgress() {},
    onEventId() {},
    onClosed() {},
  };
}

/** A server may refuse the stream in its own way, and is called all the same. */
function hasNoStream(error: unknown): null {
  if (error instanceof PeerError && error.reached === "yes") return null;
  throw error;
}

async function main(url: string): Promise<void> {
  const network = createNetwork({ allowHosts: [new URL(url).host], denyPorts: [] });
  const wire = openWire({ url, headers: {} }, network);
  const { era } = await discover(wire, "auto", options);
  const peer = createPeer(era, wire);
  const session = await peer.open(options);
  // As the engine does: some servers ask nowhere else.
  const stream = await peer.listen(session, listenerOf(peer, session), options).catch(hasNoStream);
  const tools = await peer.listTools(session, options);
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as { toolCalls?: Call[] };
  const calls =
    context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: someArguments(tool) }));

  // All first rounds before any second one: what belongs to one call must not leak into another.
  const start = (call: Call, retry?: StartInput["retry"]) => {
    const tool = tools.find(({ name }) => name === call.name);
    const { taskSupport, inputSchema } = tool ?? {};
    const input = { tool: call.name, arguments: call.arguments, taskSupport, inputSchema, ttlMs: null };
    return peer.start(
      session,
      { ...input, idempotencyKey: crypto.randomUUID(), retry },
      listenerOf(peer, session),
      options,
    );
  };
  const retries: (() => Promise<unknown>)[] = [];
  for (const call of calls) {
    const outcome = await start(call);
    if (outcome.kind !== "input_required") continue;
    const { questions, requestState } = outcome;
    const inputResponses = Object.fromEntries(
      questions.map((question) => [
        question.address.kind === "key" ? question.address.key : "",
        acceptDefaults(question),
      ]),
    );
    retries.push(() => start(call, { inputResponses, requestState }));
  }
  for (const retry of retries) await retry();
  stream?.close();
  await peer.close(session, options);
  await network.close();
}

await main(process.argv[2] ?? "");
