/** 2025-11-25: tools that want an address visited before they run (-32042), and people who will not. */
import { expect, test } from "vitest";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startSessionServer } from "../../../test/servers/session-server.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
const queries = createQueries(() => fixture);

test.each(["decline", "cancel"] as const)(
  "a person answers with %s: the tool is not called again, and why it ended is said",
  async (action) => {
    const remote = await startSessionServer();
    try {
      const server = await fixture.addServer(remote.url, "2025-11-25");
      remote.behave.visitFirst = "https://bank.example/sign-in";
      const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
      const request = await queries.openRequest(id, "Sign in first");
      // From now on the server would run the tool.
      remote.behave.visitFirst = undefined;
      const { questionHash } = request;
      await fixture.within((tx) =>
        recordDecision(tx, fixture.operator, request.id, { action, questionHash }),
      );
      const ended = await queries.inState(id, "cancelled");
      expect(ended.error).toMatchObject({ code: "declined" });
      expect(remote.tasks).toEqual([]);
      expect(remote.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
      expect((await queries.request(request.id)).state).toBe("settled");
      // Nothing was sent, so no reply was lost.
      expect(await queries.deliveryOf(request.id)).toMatchObject({
        state: "confirmed",
        error: null,
        attempts: 0,
        sentAt: null,
        inDoubt: false,
      });
      const lines = await fixture.within((tx) =>
        tx.event.findMany({
          where: {
            organizationId: fixture.organizationId,
            inputRequestId: request.id,
            type: { startsWith: "delivery." },
          },
        }),
      );
      expect(lines.map(({ type, data }) => ({ type, data }))).toEqual([
        { type: "delivery.confirmed", data: { reply: "not_needed" } },
      ]);
    } finally {
      await remote.close();
    }
  },
);
