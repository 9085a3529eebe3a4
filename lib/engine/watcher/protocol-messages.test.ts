import { expect, test } from "vitest";
import { type ProtocolMessage, recordProtocolMessage, toStore, trimmedAtRest } from "./protocol-messages.ts";

const KILOBYTE = 1024;
const said = (method: string, body: unknown) => ({ direction: "in" as const, method, body });
const asked = (method: string, body: unknown) => ({ direction: "out" as const, method, body });
const sizeOf = (messages: readonly ProtocolMessage[]) => JSON.stringify(messages).length;

test("twenty replies of a megabyte in one step: some hundred kilobytes of the newest are held", () => {
  let messages: readonly ProtocolMessage[] = [];
  for (let at = 0; at < 20; at++)
    messages = recordProtocolMessage(
      messages,
      said("tasks/get", { at, data: Array(1_000).fill("x".repeat(KILOBYTE)) }),
      [],
    );
  expect(sizeOf(messages)).toBeLessThan(200 * KILOBYTE);
  expect(messages.at(-1)?.body).toMatchObject({ at: 19 });
});

test("a notification is held with its beginning, however long it is", () => {
  const messages = recordProtocolMessage(
    [],
    said("notifications/message", { level: "info", data: "x".repeat(100 * KILOBYTE) }),
    [],
  );
  expect(sizeOf(messages)).toBeLessThan(3 * KILOBYTE);
  expect(messages[0]?.body).toMatchObject({ level: "info" });
});

test("after a step that wrote nothing, the beginning of the last exchange is left, without secrets", () => {
  let messages: readonly ProtocolMessage[] = [];
  for (let at = 0; at < 5; at++) {
    messages = recordProtocolMessage(messages, asked("tasks/get", { at, secret: "s3cret" }), ["s3cret"]);
    messages = trimmedAtRest(
      recordProtocolMessage(messages, said("tasks/get", { at, data: "s3cret ".repeat(10_000) }), ["s3cret"]),
    );
  }
  expect(messages).toHaveLength(2);
  expect(sizeOf(messages)).toBeLessThan(5 * KILOBYTE);
  expect(messages[0]?.body).toEqual({ at: 4, secret: "•••" });
  expect(trimmedAtRest(messages)).toBe(messages);
});

test("lists of nothing take room: of a million empty ones few are held", () => {
  const nothing = Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => []));
  const [message] = recordProtocolMessage([], said("tasks/get", { nothing }), []);
  expect(JSON.stringify(message).length).toBeLessThan(100 * KILOBYTE);
});

test("what was said before the task's secrets were known is stored without them", () => {
  const messages = recordProtocolMessage([], asked("tools/call", { name: "pay", session: "late" }), []);
  expect(toStore(messages, ["late"])[0]?.body).toEqual({ name: "pay", session: "•••" });
});
