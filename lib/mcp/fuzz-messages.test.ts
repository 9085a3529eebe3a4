/** Fuzzes messages: any JSON is either read within the limits or refused with PeerError. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzz, nearly, oddJson, oddNumber, oddText } from "../../test/random/fuzz.ts";
import { maskMessage } from "../history/protocol-messages/mask.ts";
import { DEPTH, ERROR_CHARACTERS, ID_CHARACTERS, INPUT_REQUESTS, STATUS_CHARACTERS } from "./limits.ts";
import {
  canBeKept,
  deeperThan,
  inputRequiredSchema,
  relatedTaskId,
  taskInMeta,
  taskSchema,
} from "./messages.ts";
import type { RemoteTask } from "./peer.ts";
import { toOutcome } from "./peer-2025-11-25.ts";
import { PeerError } from "./peer-error.ts";
import { sortServerMessage } from "./server-messages.ts";
import { incoming, Reader } from "./wire/incoming.ts";
import { parseJson } from "./wire/json.ts";
import { type Reply, readResult } from "./wire/wire.ts";

const options = { deadlineMs: 1_000 };
const status = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("working", "input_required", "completed", "failed", "cancelled") },
  { weight: 1, arbitrary: oddText },
);
const elicitation = nearly({
  mode: fc.constantFrom("form", "url"),
  message: oddText,
  requestedSchema: oddJson,
  url: fc.constant("https://example.com"),
  _meta: nearly({ "io.modelcontextprotocol/related-task": nearly({ taskId: oddText }) }),
});
const inputRequests = fc
  .array(fc.tuple(oddText, nearly({ method: fc.constant("elicitation/create"), params: elicitation })), {
    maxLength: 3,
  })
  .map((entries) => Object.fromEntries(entries));
const remote = nearly({
  taskId: fc.string({ minLength: 1 }),
  status,
  statusMessage: oddText,
  createdAt: oddText,
  lastUpdatedAt: oddText,
  ttl: oddNumber,
  ttlMs: oddNumber,
  pollInterval: oddNumber,
  pollIntervalMs: oddNumber,
  inputRequests,
  result: oddJson,
  error: oddJson,
  eventSource: nearly({ name: oddText, input: oddJson, initialCursor: oddText }),
});
const rpcError = nearly({ code: fc.integer(), message: oddText, data: oddJson });

function expectSound(task: RemoteTask): void {
  expect(task.taskId).not.toBe("");
  for (const ms of [task.ttlMs, task.pollIntervalMs])
    if (ms !== null) expect(Number.isSafeInteger(ms) && ms >= 0).toBe(true);
  expect((task.statusMessage ?? "").length).toBeLessThanOrEqual(STATUS_CHARACTERS);
  expect(canBeKept(task.statusMessage ?? "")).toBe(true);
  for (const { address, mode, url } of task.questions) {
    const key = address.kind === "key" ? address.key : "";
    expect(key.length <= ID_CHARACTERS && canBeKept(key)).toBe(true);
    if (mode === "url") expect(url).not.toBeNull();
  }
}

/** Returns the result of `read`, or null if refused with PeerError. */
async function orRefused<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PeerError) {
      expect((error.rpcError?.message ?? "").length).toBeLessThanOrEqual(ERROR_CHARACTERS);
      return null;
    }
    throw error;
  }
}

/** Reads a text as the whole of what a server says to request 1. Returns its reply, or throws PeerError. */
function replyIn(text: string): Reply {
  let reply: Reply | null = null;
  const reader = new Reader({ id: 1, method: "tasks/get" }, options, {
    onServerMessage: () => undefined,
    onReply: (answer) => {
      reply = { ...answer, headers: {} };
    },
  });
  reader.read(text);
  if (!reply) throw reader.odd ?? new PeerError("bad_reply", "yes", "no reply");
  return reply;
}
/** As one message, and as one of a batch. */
const texts = (messages: fc.Arbitrary<unknown>) =>
  fc
    .tuple(messages, fc.option(fc.array(oddJson, { maxLength: 3 })))
    .map(([message, others]) => JSON.stringify(others ? [...others, message] : message));
const envelope = nearly({ jsonrpc: fc.constant("2.0"), id: fc.constant(1), result: remote });
const failed = nearly({ jsonrpc: fc.constant("2.0"), id: fc.constantFrom(1, null), error: rpcError });

fuzz(
  "a reply to a poll is a sound task, or refused",
  fc.asyncProperty(texts(fc.oneof(envelope, failed, oddJson)), async (text) => {
    const task = await orRefused(() => readResult(replyIn(text), taskSchema, options));
    if (task) expectSound(task);
  }),
);

fuzz(
  "a reply to a call is a task, a result or questions, or refused",
  fc.asyncProperty(
    texts(
      fc.oneof(
        envelope,
        failed,
        nearly({ id: fc.constant(1), result: nearly({ task: remote, _meta: oddJson }) }),
      ),
    ),
    async (text) => {
      const outcome = await orRefused(async () => toOutcome(Promise.resolve(replyIn(text)), options));
      if (outcome?.kind === "task") expectSound(outcome.task);
    },
  ),
);

fuzz(
  "a round of questions is read, or refused",
  fc.property(nearly({ inputRequests, requestState: oddText }), (result) => {
    const { data } = inputRequiredSchema.safeParse(result);
    // The client echoes the state unchanged, whatever it contains.
    if (data && typeof result.requestState === "string") expect(data.requestState).toBe(result.requestState);
  }),
);

const serverMessage = nearly({
  jsonrpc: fc.constant("2.0"),
  id: fc.oneof(oddNumber, oddText),
  method: fc.constantFrom(
    "ping",
    "elicitation/create",
    "sampling/createMessage",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/tasks/status",
    "notifications/elicitation/complete",
  ),
  params: fc.oneof(
    elicitation,
    oddJson,
    nearly({ requestId: oddText, progressToken: oddText, progress: oddNumber, taskId: oddText }),
  ),
});

fuzz(
  "a message of the server is sorted, and is answered by us only where no person could be asked",
  fc.asyncProperty(fc.oneof(serverMessage, oddJson), async (value) => {
    const [one] = (await orRefused(() => incoming(JSON.stringify(value)))) ?? [];
    if (one?.kind !== "message") return;
    const { message } = one;
    let asked = 0;
    const nothing = () => undefined;
    const reply = sortServerMessage(message, {
      onQuestion: () => asked++,
      onRetracted: nothing,
      onStatus: nothing,
      onProgress: nothing,
    });
    // The client answers no question by itself; it sends only errors and replies to pings.
    if (reply && "result" in reply) expect([message.method, reply.result]).toEqual(["ping", {}]);
    if (asked > 0) expect(reply).toBeNull();
    if (message.id === undefined) expect(reply).toBeNull();
    if (message.id !== undefined)
      expect(typeof message.id === "string" ? canBeKept(message.id) : Number.isSafeInteger(message.id)).toBe(
        true,
      );
  }),
);

fuzz(
  "what a message says of its task is read, whatever it is",
  fc.property(
    oddJson,
    nearly({ _meta: nearly({ "io.modelcontextprotocol/task": remote }) }),
    (meta, result) => {
      expect(typeof (relatedTaskId(meta) ?? "")).toBe("string");
      const task = taskInMeta(result);
      if (task) expectSound(task);
    },
  ),
);

fuzz(
  "JSON is refused exactly where it is nested too deeply",
  fc.asyncProperty(
    fc.integer({ min: 1, max: 3 * DEPTH }),
    fc.constantFrom("[", '{"a":'),
    oddText,
    async (levels, open, padding) => {
      const close = open === "[" ? "]" : "}";
      // Brackets and quotes inside strings are no nesting.
      const text = JSON.stringify(`${padding}[[{{"\\`.repeat(200));
      const read = await orRefused(() => parseJson(open.repeat(levels) + text + close.repeat(levels)));
      expect(read === null).toBe(levels > DEPTH);
      if (read) expect(deeperThan(read, levels)).toBe(false);
    },
  ),
);

fuzz(
  "what is kept of a message is bounded and holds no secret",
  fc.property(
    oddJson,
    fc.string({ minLength: 6, maxLength: 12 }),
    fc.integer({ min: 0, max: 3_000 }),
    (value, secret, times) => {
      const body = {
        a: [value, secret, { [secret]: secret, taskId: secret }],
        b: Array(times).fill(`${secret} and so on`),
      };
      const kept = JSON.stringify(maskMessage(body, [secret]));
      expect(kept.length).toBeLessThan(140_000);
      if (!JSON.stringify(value).includes(JSON.stringify(secret).slice(1, -1)))
        expect(kept).not.toContain(JSON.stringify(secret).slice(1, -1));
    },
  ),
);

const asking = (inputRequests: string) =>
  taskSchema.safeParse(
    JSON.parse(`{"taskId":"t","status":"input_required","inputRequests":${inputRequests}}`),
  );
const sound = '{"method":"elicitation/create","params":{"message":"Sure?"}}';

test.each([
  '{"method":"sampling/createMessage","params":{"maxTokens":1e999}}',
  '{"method":"elicitation/create","params":{"mode":"zzz","x":1e999}}',
  '{"method":"elicitation/create","params":{"message":"x","requestedSchema":{"maximum":1e999}}}',
])("a number beyond JavaScript's takes no other question along: %s", (entry) => {
  const { questions } = asking(`{"a":${entry},"b":${sound}}`).data!;
  expect(questions).toMatchObject([{ unreadable: {} }, { message: "Sure?" }]);
});

test("a reply with more questions than there may be is refused", () => {
  const many = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1])));
  expect([asking(many(INPUT_REQUESTS)).success, asking(many(INPUT_REQUESTS + 1)).success]).toEqual([
    true,
    false,
  ]);
});
