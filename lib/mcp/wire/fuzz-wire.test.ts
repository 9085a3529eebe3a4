/** Fuzzes the wire: chunk borders change nothing, and only PeerError is thrown. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect } from "vitest";
import { fuzz, oddJson, oddText } from "../../../test/random/fuzz.ts";
import { createNetwork } from "../../base/network/network.ts";
import { createPeer, openWire } from "../connect.ts";
import type { TaskRef } from "../peer.ts";
import { PeerError } from "../peer-error.ts";
import { lineSplitter } from "./channels/child.ts";
import { type SseEvent, SseParser } from "./sse.ts";
import type { Wire } from "./wire.ts";

const pieces = [
  "data:",
  "data: a",
  "id: 7",
  "retry: 9",
  "event: x",
  "event: message",
  ":",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "\ufeff",
  "é💶",
  "\0",
];
const bytes = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...pieces).map((text) => Buffer.from(text)) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }).map((some) => Buffer.from(some)) },
      { weight: 1, arbitrary: oddJson.map((json) => Buffer.from(JSON.stringify(json))) },
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts));

/** Splits bytes at these positions. */
function chunked(all: Buffer, cuts: number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort((a, b) => a - b);
  return [...at, all.length].map((end, index) => all.subarray(at[index - 1] ?? 0, end));
}
const cuts = fc.array(fc.nat({ max: 500 }), { maxLength: 12 });

function parse(chunks: Buffer[]): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = new SseParser((event) => events.push(event));
  for (const chunk of chunks) parser.push(chunk);
  return events;
}

/** Parses a whole stream as the HTML standard says. */
function reference(all: Buffer): SseEvent[] {
  const lines = new TextDecoder().decode(all).split(/\r\n|\n|\r/);
  const events: SseEvent[] = [];
  let now: Partial<SseEvent> = {};
  for (const line of lines.slice(0, -1)) {
    if (line === "") {
      const { name, ...rest } = now;
      const isNamed = name !== undefined && name !== "" && name !== "message";
      if (Object.keys(rest).length > 0)
        events.push({ data: "", id: null, ...rest, ...(isNamed && { name }) });
      now = {};
      continue;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
    if (field === "data") now.data = now.data === undefined ? value : `${now.data}\n${value}`;
    if (field === "event") now.name = value;
    if (field === "id" && !value.includes("\0")) now.id = value;
    if (field === "retry" && /^\d+$/.test(value)) now.retryMs = Number(value);
  }
  return events;
}

fuzz(
  "an event stream is read as the standard has it, however it is cut",
  fc.property(bytes, cuts, (all, at) => {
    expect(parse(chunked(all, at))).toEqual(parse([all]));
    // A character cut off at the end is not decoded yet.
    const ended = Buffer.concat([all, Buffer.from("\n\n")]);
    expect(parse([ended])).toEqual(reference(ended));
  }),
);

fuzz(
  "lines are cut the same, however they arrive, and are no longer than their cap",
  fc.property(bytes, cuts, fc.integer({ min: 1, max: 40 }), (all, at, cap) => {
    const read = (chunks: Buffer[]) => {
      const lines: string[] = [];
      let tooLong = 0;
      const take = lineSplitter(
        cap,
        (line) => lines.push(line),
        () => tooLong++,
      );
      for (const chunk of chunks) take(chunk);
      return { lines, tooLong };
    };
    const whole = read([all]);
    expect(read(chunked(all, at))).toEqual(whole);
    for (const line of whole.lines) expect(line.length).toBeLessThanOrEqual(cap);
  }),
);

let answer: { status: number; headers: Record<string, string>; body: Buffer };
const server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(answer.status, answer.headers).end(answer.body));
});
const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
let http: Wire;
let command: Wire;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  http = openWire(
    { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, headers: {} },
    network,
  );
  const script = `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, params } = JSON.parse(line);
    process.stdout.write(Buffer.from(params.raw, "base64"));
    process.stdout.write("\\n" + JSON.stringify({ jsonrpc: "2.0", id, result: { fine: true } }) + "\\n");
  });`;
  command = openWire({ command: process.execPath, args: ["-e", script], env: {} }, network);
});
afterAll(async () => {
  await command.end();
  await network.close();
  server.closeAllConnections();
  server.close();
});

const options = { deadlineMs: 20_000 };
const task: TaskRef = { taskId: "t", session: { id: "s", protocolVersion: "2025-11-25", lastEventId: null } };
const types = fc.constantFrom(
  "application/json",
  "text/event-stream",
  "text/html",
  "application/json; charset=utf-16",
);
const statuses = fc.oneof(
  { weight: 3, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.integer({ min: 201, max: 599 }) },
);

fuzz(
  "any answer over HTTP is a task or a PeerError, in both eras",
  fc.asyncProperty(
    statuses,
    types,
    fc.oneof(
      bytes,
      oddText.map((text) => Buffer.from(text)),
    ),
    async (status, type, body) => {
      const isBodiless = status === 204 || status === 304;
      answer = { status, headers: { "content-type": type }, body: isBodiless ? Buffer.alloc(0) : body };
      for (const era of ["2025-11-25", "2026-07-28"] as const) {
        const end = await createPeer(era, http)
          .get(task, options)
          .catch((error: unknown) => error);
        if (!(end instanceof PeerError)) expect(end).toMatchObject({ task: { status: expect.any(String) } });
      }
    },
  ),
);

fuzz(
  "whatever a command writes, the reply on a line of its own is read",
  fc.asyncProperty(bytes, async (garbage) => {
    const params = { raw: garbage.toString("base64") };
    const reply = await command.request({ method: "say", params, headers: {} }, options);
    expect(reply.message).toMatchObject({ result: { fine: true } });
  }),
);
