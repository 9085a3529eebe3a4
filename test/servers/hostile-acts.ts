/** The misbehaviours of hostile servers: by name, for servers of either era. */
import type { ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { BATCH_MESSAGES } from "../../lib/mcp/limits.ts";
import type { Act, Asked } from "./hostile-server.ts";

const MEGABYTE = 1024 * 1024;
const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { "content-type": "text/event-stream" };

/** Writes the chunk for as long as somebody reads. */
function forever(response: ServerResponse, chunk: string | Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

/** Writes the text every second. */
function drip(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 1_000);
  response.on("close", () => clearInterval(timer));
}

const answer = (id: unknown, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result });
const bomb = Buffer.alloc(256 * MEGABYTE, 32);
const BOMBS = {
  gzip: gzipSync(bomb),
  deflate: deflateSync(bomb),
  "gzip, gzip": gzipSync(gzipSync(bomb)),
  br: brotliCompressSync(bomb.subarray(0, 64 * MEGABYTE)),
};
const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);
/** Unreadable replies, each the server's own fault: none of them counts for the task. */
export function unreadable(method: string): Record<string, Act> {
  const act = on(method);
  const compressed = (encoding: keyof typeof BOMBS) =>
    act(({ response }) =>
      response.writeHead(200, { ...JSON_TYPE, "content-encoding": encoding }).end(BOMBS[encoding]),
    );
  const text = (body: string | Buffer, headers = JSON_TYPE as Record<string, string>) =>
    act(({ response }) => response.writeHead(200, headers).end(body));
  const inResult = (json: string) =>
    act(({ response, message }) =>
      response
        .writeHead(200, JSON_TYPE)
        .end(
          `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"taskId":"x","status":"working","more":${json}}}`,
        ),
    );

  return {
    "HTML as JSON": text("<!doctype html><title>502</title>"),
    "JSON as an event stream": act(({ response, message, result }) =>
      response.writeHead(200, EVENTS).end(answer(message.id, result)),
    ),
    "UTF-16": act(({ response, message, result }) =>
      response
        .writeHead(200, { "content-type": "application/json; charset=utf-16" })
        .end(Buffer.from(answer(message.id, result), "utf16le")),
    ),
    "nothing at all": text(""),
    "a list of replies to others": act(({ send, result }) =>
      send([7, "8"].map((id) => ({ jsonrpc: "2.0", id, result }))),
    ),
    "a list of more replies than are read": act(({ send, message, result }) =>
      send(Array(BATCH_MESSAGES + 1).fill({ jsonrpc: "2.0", id: message.id, result })),
    ),
    "nine megabytes": text(" ".repeat(9 * MEGABYTE)),
    "endless bytes without a newline": act(({ response }) =>
      forever(response.writeHead(200, EVENTS), "x".repeat(MEGABYTE)),
    ),
    "comments for ever": act(({ response }) =>
      forever(response.writeHead(200, EVENTS), ": hello\n\n".repeat(10_000)),
    ),
    "events without end": act(({ response }) =>
      forever(
        response.writeHead(200, EVENTS),
        'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'.repeat(1_000),
      ),
    ),
    "a gzip bomb": compressed("gzip"),
    "a deflate bomb": compressed("deflate"),
    "a bomb in a bomb": compressed("gzip, gzip"),
    "a brotli bomb": compressed("br"),
    "a body longer than its Content-Length": act(({ response, message, result }) => {
      const body = answer(message.id, result);
      response.socket?.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n${body}`,
      );
    }),
    "a body shorter than its Content-Length": act(({ response, message, result }) => {
      const body = answer(message.id, result);
      response.socket?.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n${body}`,
      );
    }),
    "two lengths that differ": act(({ response }) =>
      response.socket?.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}"),
    ),
    "a megabyte of headers": act(({ response }) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(MEGABYTE)}\r\n\r\n{}`),
    ),
    "lists nested 100,000 deep": inResult(nested(100_000, "[", "]")),
    "objects nested 100,000 deep": inResult(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
    "a million values": inResult(`[${"0,".repeat(1_000_000)}0]`),
    "the id within a text": act(({ send, message, result }) =>
      send({ jsonrpc: "2.0", id: `${message.id}-1`, result }),
    ),
    "an id that nobody asked under": act(({ send, result }) => send({ jsonrpc: "2.0", id: 7, result })),
    "an error to another request": act(({ send }) =>
      send({ jsonrpc: "2.0", id: 7, error: { code: -32602, message: "Task not found" } }),
    ),
    "a result without an id": act(({ send, result }) => send({ jsonrpc: "2.0", result })),
    "a result and an error": act(({ send, message, result }) =>
      send({ jsonrpc: "2.0", id: message.id, result, error: { code: -32602, message: "Task not found" } }),
    ),
    "a task id of a megabyte": act(({ reply, result }) => reply({ ...result, taskId: "t".repeat(MEGABYTE) })),
    "a redirect to itself": act(({ response }) => response.writeHead(307, { location: "/mcp" }).end()),
    "a redirect to a private address": act(({ response }) =>
      response.writeHead(308, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
    ),
  };
}

/** No reply in time: every call has a deadline. */
export function slow(method: string): Record<string, Act> {
  const act = on(method);
  return {
    "no headers": act(() => {}),
    "a byte of the headers a second": act(({ response }) => {
      const { socket } = response;
      socket?.write("HTTP/1.1 200 OK\r\nx: ");
      const timer = setInterval(() => socket?.write("y"), 1_000);
      socket?.on("close", () => clearInterval(timer));
    }),
    "a byte of the body a second": act(({ response }) => drip(response.writeHead(200, JSON_TYPE), " ")),
    "a comment a second": act(({ response }) => drip(response.writeHead(200, EVENTS), ":\n\n")),
  };
}

/** Acts on this method only; the rest of the server is honest. */
function on(method: string) {
  return (act: (asked: Asked) => void): Act =>
    (asked) => {
      if (asked.message.method !== method) return false;
      act(asked);
      return true;
    };
}
