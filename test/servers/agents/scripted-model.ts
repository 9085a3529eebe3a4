/** A model that says what a test has written down, for coding agents that speak Anthropic's Messages API or OpenAI's Responses API. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that the model makes before it says that it is done. */
export interface ScriptedCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** Makes the call once in each conversation that offers its tool, and then says `Done.` */
export async function startScriptedModel(call: () => ScriptedCall) {
  const server = createServer((request, response) => void answer(request, response, call()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, call: ScriptedCall): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const path = request.url?.split("?", 1)[0];
  if (request.method !== "POST" || !(path === "/v1/messages" || path === "/v1/responses"))
    return void response.writeHead(path === "/v1/messages/count_tokens" ? 200 : 404).end("{}");
  const body = JSON.parse(text);
  const events = path === "/v1/messages" ? ofMessages(body, call) : ofResponses(body, call);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

interface Event {
  type: string;
  [name: string]: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of another's protocol
function ofMessages(body: any, call: ScriptedCall): Event[] {
  const offers = body.tools?.some(({ name }: { name: string }) => name === call.name) === true;
  const calls = offers && !JSON.stringify(body.messages).includes('"tool_result"');
  const block = calls
    ? { type: "tool_use", id: call.id, name: call.name, input: {} }
    : { type: "text", text: "" };
  const delta = calls
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
    : { type: "text_delta", text: "Done." };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: body.model, content: [], usage };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null },
      usage,
    },
    { type: "message_stop" },
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function ofResponses(body: any, call: ScriptedCall): Event[] {
  const calls = !JSON.stringify(body.input).includes('"function_call_output"');
  const item = calls
    ? {
        type: "function_call",
        id: "fc_1",
        call_id: call.id,
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
