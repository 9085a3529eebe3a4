/**
 * What stands between `/mcp` and a program that has no secret and names tools otherwise than Intray: it adds an agent's
 * secret, and translates the names of tools. All else passes as it is, in both directions.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

export interface AgentFront {
  /** Its origin, where pages of its own would be. */
  origin: string;
  /** Returns an address from which everything is passed on to the target. */
  lead(to: Target): string;
  close(): Promise<void>;
}

interface Target {
  endpoint: string;
  secret: string;
  /** The name that Intray has for a tool. */
  toIntray(name: string): string;
  /** The name that the program has for a tool. */
  fromIntray(name: string): string;
}

export async function startAgentFront(): Promise<AgentFront> {
  const targets = new Map<string, Target>();

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = targets.get(incoming.url ?? "");
    if (!target) return void outgoing.writeHead(404).end();
    const { endpoint, secret, toIntray, fromIntray } = target;
    const { hostname, port, pathname } = new URL(endpoint);
    const { message, name } = renamed(await bytesOf(incoming), toIntray);
    const { "content-length": _, ...headers } = incoming.headers;
    // A header that says another name than the message still does.
    if (name !== null && headers["mcp-name"] === name) headers["mcp-name"] = toIntray(name);
    const upstream = request({
      hostname,
      port,
      path: pathname,
      method: incoming.method,
      headers: { ...headers, authorization: `Bearer ${secret}`, "content-length": message.length },
      agent: false,
    });
    outgoing.on("close", () => upstream.destroy());
    upstream.on("error", () => outgoing.destroy());
    upstream.on("response", (reply) => {
      answer(reply, outgoing, fromIntray).catch(() => outgoing.destroy());
    });
    upstream.end(message);
  }

  const http = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    origin,
    lead(to) {
      const path = `/${targets.size}`;
      targets.set(path, to);
      return `${origin}${path}`;
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function answer(
  reply: IncomingMessage,
  outgoing: ServerResponse,
  fromIntray: Target["fromIntray"],
): Promise<void> {
  const { statusCode = 502, headers } = reply;
  if (headers["content-type"]?.startsWith("application/json")) {
    const { "content-length": _, "transfer-encoding": __, ...rest } = headers;
    outgoing.writeHead(statusCode, rest).end(listed(await bytesOf(reply), fromIntray));
    return;
  }
  reply.on("error", () => outgoing.destroy());
  outgoing.writeHead(statusCode, headers).flushHeaders();
  reply.pipe(outgoing);
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const callSchema = z.looseObject({
  method: z.literal("tools/call"),
  params: z.looseObject({ name: z.string() }),
});
const listSchema = z.looseObject({
  result: z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) }),
});

/** A message with the tool's name as Intray has it, and the name as it was. Others stay as they are. */
function renamed(
  bytes: Buffer,
  toIntray: Target["toIntray"],
): { message: Buffer<ArrayBufferLike>; name: string | null } {
  const call = parsed(bytes, callSchema);
  if (!call) return { message: bytes, name: null };
  const { name } = call.params;
  const message = { ...call, params: { ...call.params, name: toIntray(name) } };
  return { message: Buffer.from(JSON.stringify(message)), name };
}

/** A list of tools with the names that the program has for them. Other messages stay as they are. */
function listed(bytes: Buffer, fromIntray: Target["fromIntray"]): Buffer {
  const list = parsed(bytes, listSchema);
  if (!list) return bytes;
  const tools = list.result.tools.map((tool) => ({ ...tool, name: fromIntray(tool.name) }));
  return Buffer.from(JSON.stringify({ ...list, result: { ...list.result, tools } }));
}

function parsed<S extends z.ZodType>(bytes: Buffer, schema: S): z.output<S> | null {
  try {
    return schema.safeParse(JSON.parse(bytes.toString())).data ?? null;
  } catch {
    return null;
  }
}
