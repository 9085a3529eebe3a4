/**
 * A model that says what a test has written down, for coding agents that speak Anthropic's Messages API, OpenAI's
 * Responses API or Google's Gemini API.
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
  /** The first of its calls. Null: it said `Done.` */
  call: ScriptedCall | null;
}

type Next = (read: string[]) => ScriptedCall | ScriptedCall[] | null;

/**
 * `next` says which call the model makes, or which ones at once, by what it has read. Without one, or if the program does not offer its
 * tool, it says `Done.`
 */
export async function startScriptedModel(next: Next) {
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
  next: Next,
  turns: Turn[],
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const path = request.url?.split("?", 1)[0] ?? "";
  const api = request.method === "POST" ? APIS.find((each) => each.path.test(path)) : undefined;
  if (!api) return void response.writeHead(path === "/v1/messages/count_tokens" ? 200 : 404).end("{}");
  const body = JSON.parse(text);
  const read = api.read(body);
  const wanted = body.tools?.length ? [next(read) ?? []].flat() : [];
  const calls = wanted.filter(({ name }) => api.offers(body, name));
  if (body.tools?.length) turns.push({ read, call: calls[0] ?? null });
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of api.events(body, calls)) {
    if (typeof event.type === "string") response.write(`event: ${event.type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

/** One way to speak with a model. */
interface Api {
  path: RegExp;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  read(body: any): string[];
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  offers(body: any, name: string): boolean;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  events(body: any, calls: ScriptedCall[]): Event[];
}

const APIS: Api[] = [
  {
    path: /^\/v1\/messages$/,
    read: ({ messages }) => readInMessages(messages),
    offers: ({ tools }, wanted) => tools.some(({ name }: Named) => name === wanted),
    events: ({ model }, calls) => ofMessages(model, calls),
  },
  {
    path: /^\/v1\/responses$/,
    read: ({ input }) => readInResponses(input),
    offers: () => true,
    events: (_, calls) => ofResponses(calls),
  },
  {
    path: /:streamGenerateContent$/,
    read: ({ contents }) => readInContents(contents),
    offers: ({ tools }, wanted) =>
      tools.some(({ functionDeclarations = [] }: { functionDeclarations?: Named[] }) =>
        functionDeclarations.some(({ name }) => name === wanted),
      ),
    events: (_, calls) => [ofGemini(calls)],
  },
];

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

function readInContents(contents: { parts?: { functionResponse?: { response?: unknown } }[] }[]): string[] {
  return contents
    .flatMap(({ parts = [] }) => parts)
    .flatMap(({ functionResponse }) => (functionResponse ? [JSON.stringify(functionResponse.response)] : []));
}

interface Event {
  /** Events of Gemini have none. */
  type?: string;
  [name: string]: unknown;
}

function ofMessages(model: string, calls: ScriptedCall[]): Event[] {
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
    ...(calls.length > 0 ? calls : [null]).flatMap((call, index): Event[] => [
      { type: "content_block_start", index, content_block: blockOf(call) },
      { type: "content_block_delta", index, delta: deltaOf(call) },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
      usage,
    },
    { type: "message_stop" },
  ];
}

const blockOf = (call: ScriptedCall | null) =>
  call
    ? { type: "tool_use", id: `toolu_${randomUUID()}`, name: call.name, input: {} }
    : { type: "text", text: "" };

const deltaOf = (call: ScriptedCall | null) =>
  call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
    : { type: "text_delta", text: "Done." };

function ofResponses(calls: ScriptedCall[]): Event[] {
  const made = calls.map(({ name, input }, index) => ({
    type: "function_call",
    id: `fc_${index}`,
    call_id: `call_${randomUUID()}`,
    name,
    arguments: JSON.stringify(input),
  }));
  const done = {
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
  const items = made.length > 0 ? made : [done];
  return [
    { type: "response.created", response: { id: "resp_1" } },
    ...items.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
    { type: "response.completed", response: { id: "resp_1", usage } },
  ];
}

function ofGemini(calls: ScriptedCall[]): Event {
  const made = calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
  return {
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: made.length > 0 ? made : [{ text: "Done." }] },
        finishReason: "STOP",
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "scripted",
  };
}
