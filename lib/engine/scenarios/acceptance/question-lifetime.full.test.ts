/** 14, the other way round: servers of the official packages give a question up after 60 s, whatever a client does. */
import { describe, expect, test } from "vitest";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { type OfficialName, startOfficialServer } from "../../../../test/servers/official/official-server.ts";
import { learnWithdrawal, traitsSchema } from "../../../servers/traits.ts";

const PATIENCE_MS = 180_000;
const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
const queries = createQueries(() => fixture, PATIENCE_MS);

interface ServerCase {
  name: OfficialName;
  tool: string;
  args: Record<string, unknown>;
  /** Text of a result without an answer; "declined" or "cancelled" would prove that one was sent. */
  state: "completed" | "failed";
  says: RegExp;
}

const CASES: ServerCase[] = [
  {
    name: "everything",
    tool: "simulate-research-query",
    args: { topic: "python", ambiguous: true },
    state: "completed",
    says: /default - elicitation unavailable/,
  },
  {
    name: "simpleTaskInteractive",
    tool: "confirm_delete",
    args: { filename: "a.txt" },
    state: "failed",
    says: /timed out/,
  },
  {
    name: "simpleStreamableHttp",
    tool: "collect-user-info-task",
    args: { infoType: "contact" },
    state: "failed",
    says: /timed out/,
  },
];

describe.concurrent("nobody answers within a minute:", { timeout: PATIENCE_MS + 30_000 }, () => {
  test.each(CASES)(
    "$name gives its question up, it ends here, nothing is sent, and that is learned",
    async (serverCase) => {
      const remote = await startOfficialServer(serverCase.name);
      try {
        const server = await fixture.addServer(remote.url, "2025-11-25");
        const id = await fixture.startTask(
          server,
          serverCase.args,
          tool(serverCase.tool, { taskSupport: "required" }),
        );
        const request = await queries.openRequest(id);
        const withdrawn = await until(
          "the question's time is over",
          async () => {
            const row = await queries.request(request.id);
            return (row.state === "withdrawn" || row.state === "expired") && row;
          },
          PATIENCE_MS,
        );
        expect(withdrawn.endedAt!.getTime() - withdrawn.createdAt.getTime()).toBeGreaterThan(50_000);
        const done = await queries.inState(id, serverCase.state);
        expect(JSON.stringify([done.result, done.error, done.statusMessage])).toMatch(serverCase.says);
        await expect(fixture.answer(request.id, { action: "accept", content: {} })).rejects.toMatchObject({
          code: "no_longer_open",
        });
        const learned = await until("that is learned", async () => {
          const row = await fixture.within((tx) =>
            tx.server.findFirstOrThrow({
              where: { organizationId: fixture.organizationId, id: server.serverId },
            }),
          );
          const traits = traitsSchema.parse(row.traits);
          return traits.withdrawnAtMs !== undefined && traits;
        });
        // The machine may be so busy that the end was seen long after a minute, which alone proves no lifetime.
        const [ageMs = 0] = learned.withdrawnAtMs ?? [];
        expect(learned.questionLifetimeMs).toBe(learnWithdrawal({}, ageMs).questionLifetimeMs);
        if (ageMs < 70_000) expect(learned.questionLifetimeMs).toBe(60_000);
      } finally {
        await remote.stop();
      }
    },
  );
});
