import { expect, test } from "vitest";
import type { Peer, Session } from "./peer.ts";
import { PeerError } from "./peer-error.ts";
import { ToolCalls } from "./tool-calls.ts";

const OPTIONS = { deadlineMs: 1_000 };

/** A server that knows the session that it opened last. */
function createServer() {
  const sessions: string[] = [];
  let known: string | null = null;
  const peer = {
    async open(): Promise<Session> {
      const id = `session-${sessions.length + 1}`;
      sessions.push(id);
      known = id;
      return { id, protocolVersion: "2025-11-25", lastEventId: null };
    },
    async start(session: Session | null) {
      // The replies to calls that are made at once come at once.
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (session?.id !== known) throw new PeerError("session_gone", "yes", "The session is gone");
      return { kind: "result", result: { content: [] } };
    },
  } as unknown as Peer;
  return { peer, sessions, restart: () => (known = null) };
}

test("calls that find out together that their session is gone open one in its place", async () => {
  const { peer, sessions, restart } = createServer();
  const calls = new ToolCalls(async () => peer);
  const call = () => calls.call({ tool: "status", arguments: {} }, OPTIONS);
  await call();
  restart();
  await Promise.all(Array.from({ length: 5 }, call));
  expect(sessions).toHaveLength(2);
});
