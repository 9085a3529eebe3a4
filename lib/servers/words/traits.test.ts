import { describe, expect, test } from "vitest";
import type { ServerTraits } from "../server-schema.ts";
import { describeTraits } from "./traits.ts";

const UNSEEN: ServerTraits = {
  reissues: null,
  questionLifetimeMs: null,
  listsTasks: null,
  notifies: null,
  namesTask: null,
  sessionLimit: null,
  opensStream: null,
  refusesTasks: null,
  putsTasks: null,
  fetches: null,
};
const of = (traits: Partial<ServerTraits>, era: "2025-11-25" | "2026-07-28" = "2025-11-25") =>
  describeTraits({ era, honoursIdempotencyKey: null, traits: { ...UNSEEN, ...traits } });

describe("what a server is like", () => {
  test.each([
    [{ questionLifetimeMs: 60_000 }, "Gives up on questions after about a minute"],
    [{ questionLifetimeMs: 90_000 }, "Gives up on questions after about 1 min"],
    [{ reissues: true }, "Repeats a question when asked: answers survive a lost session"],
    [{ reissues: false }, "Asks a question only once"],
    [{ notifies: true }, "Reports changes by itself"],
    [{ notifies: false }, "Does not report changes"],
    [{ listsTasks: true }, "Lists its tasks"],
    [{ listsTasks: false }, "Does not list its tasks"],
    [{ namesTask: true }, "Says which task a question belongs to"],
    [{ namesTask: false }, "Does not say which task a question belongs to"],
    [{ sessionLimit: 4 }, "Takes no more than 4 sessions at a time"],
    [{ opensStream: true }, "May ask its questions as tasks"],
    [{ opensStream: false }, "Can’t ask its questions as tasks"],
    [{ opensStream: true, refusesTasks: true }, "Refuses to ask its questions as tasks"],
    [{ putsTasks: true }, "Asks its questions as tasks, and has not fetched an answer yet"],
    [{ putsTasks: true, fetches: true }, "Asks its questions as tasks, and fetches the answers"],
  ])("%o: %s", (traits, text) => {
    expect(of(traits).seen.map((line) => line.text)).toEqual([text]);
  });

  test("what was not seen yet is named; a limit that was not met is not missed", () => {
    const { seen, notYet } = of({});
    expect(seen).toEqual([]);
    expect(notYet).toHaveLength(7);
  });

  test("sessions are no matter where there are none", () => {
    const { seen, notYet } = of({ namesTask: false, reissues: false }, "2026-07-28");
    expect(seen.map((line) => line.text)).toEqual(["Keeps its questions with the task"]);
    expect(notYet.join()).not.toMatch(/which task|repeats a question/);
  });
});
