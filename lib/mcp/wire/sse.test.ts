import { describe, expect, it } from "vitest";
import { type SseEvent, SseParser } from "./sse.ts";

function parse(chunks: Uint8Array[]): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = new SseParser((event) => events.push(event));
  for (const chunk of chunks) parser.push(chunk);
  return events;
}

const cases: [name: string, text: string, events: SseEvent[]][] = [
  ["one event", "data: a\n\n", [{ data: "a", id: null }]],
  ["an id and a name", "event: message\nid: 7\ndata: a\n\n", [{ data: "a", id: "7" }]],
  [
    "another name",
    "event: ping\ndata: a\n\ndata: b\n\n",
    [
      { data: "a", id: null, name: "ping" },
      { data: "b", id: null },
    ],
  ],
  ["a name that is taken back", "event: ping\nevent\ndata: a\n\n", [{ data: "a", id: null }]],
  ["a name without data", "event: ping\n\ndata: a\n\n", [{ data: "a", id: null }]],
  ["no space after the colon", "data:a\n\n", [{ data: "a", id: null }]],
  ["only one space is eaten", "data:  a\n\n", [{ data: " a", id: null }]],
  ["several data lines", "data: a\ndata: b\ndata\n\n", [{ data: "a\nb\n", id: null }]],
  ["an id that is too long to be kept", `id: ${"i".repeat(1_001)}\ndata: a\n\n`, [{ data: "a", id: null }]],
  ["comments", ": keepalive\n\n: more\ndata: a\n:\n\n", [{ data: "a", id: null }]],
  [
    "a priming event",
    "id: p\ndata:\n\nid: q\n\n",
    [
      { data: "", id: "p" },
      { data: "", id: "q" },
    ],
  ],
  [
    "CRLF",
    "id: 1\r\ndata: a\r\n\r\ndata: b\r\n\r\n",
    [
      { data: "a", id: "1" },
      { data: "b", id: null },
    ],
  ],
  [
    "CR",
    "data: a\r\rdata: b\r\r",
    [
      { data: "a", id: null },
      { data: "b", id: null },
    ],
  ],
  ["a byte order mark", "\ufeffdata: a\n\n", [{ data: "a", id: null }]],
  ["wide characters", "data: Łódź 💶 終\n\n", [{ data: "Łódź 💶 終", id: null }]],
  ["an unknown field", "foo: bar\ndata: a\n\n", [{ data: "a", id: null }]],
  [
    "a time to wait",
    "retry: 5\ndata: a\n\nretry: 7\n\n",
    [
      { data: "a", id: null, retryMs: 5 },
      { data: "", id: null, retryMs: 7 },
    ],
  ],
  ["a time that is none", "retry: soon\ndata: a\n\n", [{ data: "a", id: null }]],
  ["an unfinished event", "data: a\n\ndata: b\n", [{ data: "a", id: null }]],
  ["an id with a NUL", "id: a\0b\ndata: a\n\n", [{ data: "a", id: null }]],
];

describe("SseParser", () => {
  it.each([
    ["data: a\n\ndata: b\n", "b"],
    ["data: a\ndata: b", "a\nb"],
    ["data: a\n\nid: 7", null],
    ["data: a\n\n", null],
  ])("%j ends in %j", (text, rest) => {
    const parser = new SseParser(() => {});
    parser.push(new TextEncoder().encode(text));
    expect(parser.end()).toBe(rest);
  });

  it.each(cases)("%s, in every split", (_, text, events) => {
    const bytes = new TextEncoder().encode(text);
    expect(parse([bytes])).toEqual(events);
    expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(events);
    }
  });
});
