import { expect, test } from "vitest";
import { hideIn, hiding, IN_MESSAGES } from "./hide.ts";
import { taskSchema } from "./messages.ts";

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
