/** A session or a place is only what this installation wrote for the same agent: everything else is null, and throws nothing. */
import { expect, test } from "vitest";
import { uuidv7 } from "../../base/ids.ts";
import { forgetAll } from "../../base/process/process-wide.ts";
import { type Place, readPlace, readSession, type Session, writePlace, writeSession } from "./signed.ts";

process.env.AUTH_SECRET = "a secret of the tests";
const AGENT = uuidv7();
const session: Session = { agent: AGENT, name: "Böb — 🙂", version: "1", nonce: "n" };
const place: Place = {
  agent: AGENT,
  taskId: uuidv7(),
  id: "call-1",
  kind: "payload",
  until: null,
  progressToken: null,
};
const placeText = (differs: Partial<Place> = {}) => writePlace({ ...place, ...differs }) ?? "";

test("what was written is read again, by the agent that it was written for", () => {
  expect(readSession(writeSession(session), AGENT)).toEqual(session);
  const differing: Partial<Place>[] = [
    {},
    { id: 7, kind: "call", until: 1_900_000_000_000, progressToken: 0 },
    { id: "", progressToken: "p" },
  ];
  for (const differs of differing)
    expect(readPlace(placeText(differs), AGENT)).toEqual({ ...place, ...differs });
});

test("both fit a header, whatever they are about", () => {
  expect(writeSession(session)).toMatch(/^[\w.-]+$/);
  expect(placeText({ id: "a\r\nb: c" })).toMatch(/^[\w.-]+$/);
});

test("another agent's is none", () => {
  expect(readSession(writeSession(session), uuidv7())).toBeNull();
  expect(readPlace(placeText(), uuidv7())).toBeNull();
});

test("a session is no place, and a place no session", () => {
  expect(readPlace(writeSession(session), AGENT)).toBeNull();
  expect(readSession(placeText(), AGENT)).toBeNull();
});

test("one character that differs makes it none", () => {
  const text = writeSession(session);
  // The last character of base64url has bits that say nothing.
  for (let index = 0; index < text.length - 1; index++) {
    if (text[index] === ".") continue;
    const other = text[index] === "A" ? "B" : "A";
    expect(readSession(text.slice(0, index) + other + text.slice(index + 1), AGENT), `${index}`).toBeNull();
  }
});

test.each(["", ".", "..", "a.b", "é.🙂", "x".repeat(100_000), `${Buffer.from("{}").toString("base64url")}.`])(
  "%# is none: made up",
  (text) => {
    expect(readSession(text, AGENT)).toBeNull();
    expect(readPlace(text, AGENT)).toBeNull();
  },
);

test("an installation with another secret takes neither", () => {
  const [ours, goesOn] = [writeSession(session), placeText()];
  process.env.AUTH_SECRET = "another secret of the tests";
  forgetAll();
  expect(readSession(writeSession(session), AGENT)).toEqual(session);
  expect(readSession(ours, AGENT)).toBeNull();
  expect(readPlace(goesOn, AGENT)).toBeNull();
});

test("a place with a long id is not written: its call is repeated instead", () => {
  expect(writePlace({ ...place, id: "x".repeat(1_000) })).not.toBeNull();
  expect(writePlace({ ...place, id: "x".repeat(2_000) })).toBeNull();
});
