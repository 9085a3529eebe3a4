import { describe, expect, test } from "vitest";
import type { Preferences, UpdatePreferences } from "@/lib/people/members/member-schema.ts";
import { createPrefer } from "./me.tsx";

const SAVED: Preferences = { singleKeys: true, tourSeen: false, density: "comfortable", locale: null };

/** A server whose replies wait until the test releases them. */
function slowServer() {
  let stored = SAVED;
  const calls: { change: UpdatePreferences; answer: (refusal?: Error) => void }[] = [];
  const send = (change: UpdatePreferences) =>
    new Promise<Preferences>((resolve, reject) =>
      calls.push({
        change,
        answer: (refusal) => {
          if (refusal) return reject(refusal);
          stored = { ...stored, ...change } as Preferences;
          resolve(stored);
        },
      }),
    );
  return { calls, send, stored: () => stored };
}

/** Preferences as the page shows them. */
function preferencesOf(server: ReturnType<typeof slowServer>) {
  let shown = SAVED;
  const prefer = createPrefer(SAVED, server.send, (preferences) => {
    shown = preferences;
  });
  return { prefer, read: () => shown };
}

const sent = (calls: unknown[], count: number) => expect.poll(() => calls.length).toBe(count);

describe("what a person prefers", () => {
  test("keeps both of two changes that follow each other quickly", async () => {
    const server = slowServer();
    const preferences = preferencesOf(server);
    const changes = [preferences.prefer({ singleKeys: false }), preferences.prefer({ tourSeen: true })];
    expect(preferences.read()).toMatchObject({ singleKeys: false, tourSeen: true });
    await sent(server.calls, 1);
    server.calls[0]!.answer();
    await changes[0];
    expect(preferences.read()).toMatchObject({ singleKeys: false, tourSeen: true });
    await sent(server.calls, 2);
    server.calls[1]!.answer();
    await changes[1];
    expect(preferences.read()).toMatchObject({ singleKeys: false, tourSeen: true });
    expect(server.stored()).toEqual(preferences.read());
  });

  test("ends with the later one of two changes of the same switch, on the server too", async () => {
    const server = slowServer();
    const preferences = preferencesOf(server);
    const changes = [preferences.prefer({ singleKeys: false }), preferences.prefer({ singleKeys: true })];
    await sent(server.calls, 1);
    expect(server.calls).toHaveLength(1);
    server.calls[0]!.answer();
    await sent(server.calls, 2);
    expect(preferences.read().singleKeys).toBe(true);
    server.calls[1]!.answer();
    await Promise.all(changes);
    expect(server.stored().singleKeys).toBe(true);
  });

  test("loses only the change that is refused", async () => {
    const server = slowServer();
    const preferences = preferencesOf(server);
    const refused = preferences.prefer({ singleKeys: false });
    const kept = preferences.prefer({ tourSeen: true });
    await sent(server.calls, 1);
    server.calls[0]!.answer(new Error("no"));
    await expect(refused).rejects.toThrow("no");
    expect(preferences.read()).toMatchObject({ singleKeys: true, tourSeen: true });
    await sent(server.calls, 2);
    server.calls[1]!.answer();
    await kept;
    expect(preferences.read()).toMatchObject({ singleKeys: true, tourSeen: true });
  });
});
