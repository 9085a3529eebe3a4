import { expect, test } from "vitest";
import { changesOf } from "../../text/value-changes.ts";
import type { InputRequestDetail } from "../request-schema.ts";
import { agreedChange, approvedChange, askedCall, comparedArguments, editWords } from "./changed-calls.ts";

const args = { amount: 400 };
const gate = { rule: null };
const request = (more: object) =>
  ({
    ...{ gate, origin: "intray", tool: "pay", editable: true, approval: null, answer: null, arguments: args },
    fields: { kind: "supported", fields: [] },
    ...{ server: { id: "1", name: "ERP" }, requestedBy: { kind: "agent", id: "2", name: "Claude" } },
    ...more,
  }) as unknown as InputRequestDetail;
const given = (answer: object) => approvedChange(request({ answer: { action: "accept", ...answer } }));

test("what can be changed is the call itself, or the subject of a call elsewhere", () => {
  expect(askedCall(request({}))).toEqual({ arguments: args, inputSchema: {} });
  const inputSchema = { type: "object" };
  const subject = { arguments: args, inputSchema };
  expect(askedCall(request({ gate: null, arguments: { action: "Pay", subject } }))).toEqual({
    arguments: args,
    inputSchema,
  });
  expect(askedCall(request({ gate: null, arguments: { action: "Pay" } })).arguments).toEqual({});
});

test("a coding agent's input is edited by its shape: texts in lines, numbers and choices, anything else as JSON", () => {
  const input = { command: "ls", timeout: 5, background: false, edits: [{ old: "a" }], note: null };
  const call = { program: "Claude Code", tool: "Bash", input };
  const hook = request({ gate: null, arguments: { action: "May it run?", call } });
  expect(askedCall(hook)).toEqual({
    arguments: input,
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", maxLength: 131_072 },
        timeout: { type: "number" },
        background: { type: "boolean" },
        edits: {},
        note: {},
      },
    },
  });
  expect(editWords(hook)).toBe("Claude Code makes the call with your input, and is told what it is.");
});

test("voters agree to a change, or to none", () => {
  const agreed = (content: unknown, more: object = {}) =>
    agreedChange(request({ approval: { content }, ...more }));
  expect(agreed({ arguments: args })).toBe(args);
  expect([agreed({}), agreed(null), agreed({ arguments: args }, { editable: false })]).toEqual([
    null,
    null,
    null,
  ]);
  expect(agreedChange(request({}))).toBeNull();
});

test("an approval has changes where its content says so, and no form does", () => {
  expect(given({ content: { arguments: args } })).toBe(args);
  expect([given({ content: {} }), given({ content: null })]).toEqual([null, null]);
  expect(given({ action: "decline", content: { arguments: args } })).toBeNull();
  const answer = { action: "accept", content: { arguments: args } };
  expect(approvedChange(request({ answer, fields: { kind: "supported", fields: [{}] } }))).toBeNull();
  expect(approvedChange(request({ answer, origin: "server", gate: null }))).toBeNull();
});

test("the words say who makes the call", () => {
  expect(editWords(request({}))).toBe(
    "ERP is called with your arguments. The agent “Claude” is told what you changed.",
  );
  expect(editWords(request({ gate: null }))).toBe(
    "The agent “Claude” is told what you changed, and may make the call with your arguments alone.",
  );
});

test("of a coding agent's call what people read is compared, of another request all of it", () => {
  const call = { program: "Claude Code", tool: "Bash", input: { command: "ls" } };
  const own = { origin: "intray", gate: null };
  const asked = (more: object) => ({
    ...{ action: "May it run?", expiresAt: "2026-11-30T07:06:49Z" },
    call: { ...call, ...more },
  });
  const compared = (more: object) => comparedArguments(request({ ...own, arguments: asked(more) }));
  const first = { ...call, directory: null, helper: null };
  expect(compared({})).toEqual({ compared: first, isMasked: false });
  expect(comparedArguments(request({ ...own, arguments: args }), asked({})).compared).toEqual(first);
  expect(comparedArguments(request({ ...own, arguments: args })).compared).toBe(args);
  expect(compared({ isMasked: true }).isMasked).toBe(true);
  const differs = (was: object, is: object) =>
    changesOf(compared(was).compared, compared(is).compared).changes.map(({ path }) => path);
  // Members of the input can't stand in for the directory and the helper.
  const input = { command: "rm -rf build", directory: "x", helper: "h" };
  expect(differs({ cwd: "/tmp/test", input }, { cwd: "/srv", input })).toEqual(["directory"]);
  expect(differs({ by: "safe", input }, { by: "intern", input })).toEqual(["helper"]);
  expect(differs({ tool: "Bash" }, { tool: "PowerShell" })).toEqual(["tool"]);
  expect(differs({}, { program: "Codex" })).toEqual(["program"]);
  expect(differs({}, { input })).toEqual(["input.command", "input.directory", "input.helper"]);
});
