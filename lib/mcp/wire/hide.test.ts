import { expect, test } from "vitest";
import fc from "../../../test/random/seeded.ts";
import { taskSchema } from "../messages.ts";
import { sortServerMessage } from "../server-messages.ts";
import { hideIn, hiding, IN_MESSAGES } from "./hide.ts";

const SECRET = 'canary-"quoted"/secret';

test("a secret is hidden as it stands and as JSON spells it, wherever it comes and however often", () => {
  const hide = hiding([SECRET], IN_MESSAGES);
  expect(hide(`${SECRET} and ${SECRET}`)).toBe("••• and •••");
  expect(JSON.parse(hide(JSON.stringify({ message: `You sent ${SECRET}` })))).toEqual({
    message: "You sent •••",
  });
});

test("of secrets that are part of each other, the longest is hidden whole", () => {
  const hide = hiding(["0123456789abcdef", "0123456789abcdef-more"], IN_MESSAGES);
  expect(hide("0123456789abcdef-more")).toBe("•••");
});

test("what is too short to be a secret stays", () => {
  expect(hiding(["invoice"], IN_MESSAGES)("an invoice")).toBe("an invoice");
});

test("the names of fields stay, whatever they are", () => {
  const hide = hiding(["0123456789abcdef"], IN_MESSAGES);
  const value = { "0123456789abcdef": ["0123456789abcdef", 1, null, { a: "x0123456789abcdefx" }] };
  expect(hideIn(value, hide)).toEqual({ "0123456789abcdef": ["•••", 1, null, { a: "x•••x" }] });
});

test("a task does not show its own id, which is kept to ask for it", () => {
  const taskId = "5f6c3f0e-1f0b-4f6e-9d0e-1c2d3e4f5a6b";
  const shown = taskSchema.parse({
    taskId,
    status: "failed",
    statusMessage: `${taskId} failed`,
    error: { code: 1, message: `no ${taskId}` },
    result: { _meta: { "io.modelcontextprotocol/related-task": { taskId } } },
  });
  expect(shown.taskId).toBe(taskId);
  expect(JSON.stringify({ ...shown, taskId: "" })).not.toContain(taskId);
});

const ID = "invoice-5a1e4c55-9d0e-7be1";
const SCHEMA = {
  type: "object",
  properties: {
    pick: {
      type: "string",
      title: `For ${ID}`,
      description: `of ${ID}`,
      oneOf: [{ const: ID, title: `Pay ${ID}` }],
    },
    title: { type: "string", enum: [ID], enumNames: [`Task ${ID}`], default: ID, "x-intray-need": ID },
  },
};
const HIDDEN = {
  type: "object",
  properties: {
    pick: {
      type: "string",
      title: "For •••",
      description: "of •••",
      oneOf: [{ const: ID, title: "Pay •••" }],
    },
    title: { type: "string", enum: [ID], enumNames: ["Task •••"], default: ID, "x-intray-need": "•••" },
  },
};

test("a question does not show its task's id, except in what an answer may repeat (2026-07-28)", () => {
  const params = { message: `Approve task ${ID}?`, requestedSchema: SCHEMA };
  const task = taskSchema.parse({
    taskId: ID,
    status: "input_required",
    inputRequests: { approval: { method: "elicitation/create", params } },
  });
  expect(task.questions).toMatchObject([{ message: "Approve task •••?", requestedSchema: HIDDEN }]);
});

test("a question that names its task does not show its id, nor change its URL (2025-11-25)", () => {
  const asked: unknown[] = [];
  const listener = { onQuestion: (question: unknown) => void asked.push(question) } as unknown as Parameters<
    typeof sortServerMessage
  >[1];
  const _meta = { "io.modelcontextprotocol/related-task": { taskId: ID } };
  const url = `https://erp.example/approve/${ID}`;
  const form = { message: `Approve task ${ID}?`, requestedSchema: SCHEMA, _meta };
  const visit = { mode: "url", message: `Visit for ${ID}`, url, elicitationId: "1", _meta };
  for (const params of [form, visit])
    sortServerMessage({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params }, listener);
  expect(asked).toMatchObject([
    { message: "Approve task •••?", requestedSchema: HIDDEN },
    { message: "Visit for •••", url },
  ]);
});

test("a long secret is masked as by the platform's search, and in time with the text alone", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b"), minLength: 65, maxLength: 80 }),
      fc.array(fc.oneof(fc.constant(null), fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 70 }))),
      (secret, parts) => {
        const text = parts.map((part) => part ?? secret).join("");
        expect(hiding([secret], IN_MESSAGES)(text)).toBe(text.replaceAll(secret, "•••"));
      },
    ),
  );
  const before = process.threadCpuUsage();
  hiding([`${"a".repeat(2_000)}b${"a".repeat(1_999)}`], IN_MESSAGES)("a".repeat(4_000_000));
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
