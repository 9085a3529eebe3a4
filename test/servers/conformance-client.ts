/**
 * Our peers as the client of the official conformance suite, which starts it: `node conformance-client.ts
 * <url>`. Discovers the era, lists the tools, and calls each of them; accepts questions with their defaults.
 * MCP_CONFORMANCE_CONTEXT may name the calls to make, as JSON: `{toolCalls: [{name, arguments}]}`.
 */

import { createNetwork } from "../../lib/base/network/network.ts";
import { createPeer, openWire } from "../../lib/mcp/connect.ts";
import { discover } from "../../lib/mcp/discover.ts";
import { normaliseForm } from "../../lib/mcp/forms/read-form.ts";
import type {
  AnswerBody,
  Peer,
  Question,
  Session,
  StartInput,
  StreamListener,
  Tool,
} from "../../lib/mcp/peer.ts";
import { PeerError } from "../../lib/mcp/peer-error.ts";

const options = { deadlineMs: 10_000, replyWithinMs: 15_000 };

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** Accepts a question with the defaults of its form. */
function acceptDefaults(question: Question): AnswerBody {
  const form = normaliseForm(question.requestedSchema);
  const fields = form.kind === "supported" ? form.fields : [];
  const defaults = fields
    .filter((field) => field.default !== null)
    .map((field) => [field.name, field.default]);
  return { action: "accept", content: Object.fromEntries(defaults) as Record<string, unknown> };
}

/** Arguments that fit the schema: a number or a text for each required one. */
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

/** Ignores a server's refusal of the stream, however expressed; its tools are called all the same. */
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
  // Listens as the engine does, since some servers ask nowhere else.
  const stream = await peer.listen(session, listenerOf(peer, session), options).catch(hasNoStream);
  const tools = await peer.listTools(session, options);
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as { toolCalls?: Call[] };
  const calls =
    context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: someArguments(tool) }));

  // Runs all first rounds before any second one, since data of one call must not leak into another.
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
