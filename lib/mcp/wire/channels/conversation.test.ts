import { expect, test } from "vitest";
import { UNHANDLED_CHARACTERS } from "../../limits.ts";
import { type ChannelListener, Conversation } from "./conversation.ts";

function opened() {
  const heard: ChannelListener[] = [];
  const channel = { write() {}, end: async () => {} };
  const conversation = new Conversation(
    {
      sessionId: "s",
      gone: "gone",
      open(listener) {
        heard.push(listener);
        return channel;
      },
    },
    () => {},
    () => {},
  );
  const ask = (id: number, message: string) =>
    heard[0]?.onMessage(
      JSON.stringify({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message } }),
    );
  return { conversation, ask };
}

test.each([
  { what: "small", length: 10, kept: 100 },
  { what: "large", length: UNHANDLED_CHARACTERS / 2 - 500, kept: 2 },
])(
  "of $what questions that come while nobody listens the newest $kept are kept",
  async ({ length, kept }) => {
    const { conversation, ask } = opened();
    for (let id = 1; id <= 150; id++) ask(id, "x".repeat(length));
    const ids: unknown[] = [];
    conversation.listen({ onServerMessage: ({ id }) => void ids.push(id), onGone() {} });
    await expect.poll(() => ids.length).toBe(kept);
    expect(ids[0]).toBe(151 - kept);
  },
);
