/**
 * A model that says what a test has written down, for coding agents that speak Anthropic's Messages API or OpenAI's
 * Responses API.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedCall {
  name: string;
  input: Record<string, unknown>;
}

/** One answer of the model to a program that offers tools. */
interface Turn {
  /** What the model has read since the prompt: results of its calls, and what the program told it later. */
  read: string[];
  /** Null: it said `Done.` */
  call: ScriptedCall | null;
}

/** `next` says which call the model makes, by what it has read. Without one, or if the program does not offer its tool, it says `Done.` */
export async function startScriptedModel(next: (read: string[]) => ScriptedCall | null) {
  const turns: Turn[] = [];
  const server = createServer((request, response) => void answer(request, response, next, turns));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    turns,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  next: (read: string[]) => ScriptedCall | null,
  turns: Turn[],
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const path = request.url?.split("?", 1)[0];
  if (request.method !== "POST" || !(path === "/v1/messages" || path === "/v1/responses"))
    return void response.writeHead(path === "/v1/messages/count_tokens" ? 200 : 404).end("{}");
  const body = JSON.parse(text);
  const read = path === "/v1/messages" ? readInMessages(body.messages) : readInResponses(body.input);
  const wanted = body.tools?.length ? next(read) : null;
  const offered = path === "/v1/responses" || body.tools?.some(({ name }: Named) => name === wanted?.name);
  const call = offered ? wanted : null;
  if (body.tools?.length) turns.push({ read, call });
  const events = path === "/v1/messages" ? ofMessages(body.model, call) : ofResponses(call);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

interface Named {
  name: string;
}

interface Block {
  type: string;
  text?: string;
  content?: string | Block[];
}

const textOf = (content: string | Block[] | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("\n");

/** How Claude Code begins what it tells its model beside results. */
const LATER = /<task-notification>|hook additional context/;

function readInMessages(messages: { role: string; content: string | Block[] }[]): string[] {
  return messages
    .filter(({ role }) => role !== "assistant")
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content))
    .flatMap((block) => {
      if (block.type === "tool_result") return [textOf(block.content)];
      return block.text !== undefined && LATER.test(block.text) ? [block.text] : [];
    });
}

function readInResponses(input: (Block & { output?: string | Block[] })[]): string[] {
  return input.filter(({ type }) => type === "function_call_output").map(({ output }) => textOf(output));
}

interface Event {
  type: string;
  [name: string]: unknown;
}

function ofMessages(model: string, call: ScriptedCall | null): Event[] {
  const block = call
    ? { type: "tool_use", id: `toolu_${randomUUID()}`, name: call.name, input: {} }
    : { type: "text", text: "" };
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
    : { type: "text_delta", text: "Done." };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    usage,
  };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
      usage,
    },
    { type: "message_stop" },
  ];
}

function ofResponses(call: ScriptedCall | null): Event[] {
  const item = call
    ? {
        type: "function_call",
        id: "fc_1",
        call_id: `call_${randomUUID()}`,
        name: call.name,
        arguments: JSON.stringify(call.input),
      }
    : {
        type: "message",
        id: "msg_1",
        role: "assistant",
        content: [{ type: "output_text", text: "Done.", annotations: [] }],
      };
  const usage = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  };
  return [
    { type: "response.created", response: { id: "resp_1" } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "resp_1", usage } },
  ];
}
