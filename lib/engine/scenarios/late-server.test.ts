import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createOrganizationFixture, until } from "../../../test/fixtures/organization-fixture.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startSessionServer } from "../../../test/servers/session-server.ts";
import { NOBODY } from "../../servers/seen.ts";
import { readServer } from "../../servers/server-reads.ts";
import { MIN_POLL_MS } from "../tunables.ts";

test("a slow server is shown as late, until it is quick again", async () => {
  const remote = await startSessionServer();
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  const server = await fixture.addServer(remote.url, "2025-11-25");
  let takesMs = 1_200;
  remote.behave.get = async () => void (await pause(takesMs));
  await fixture.startEngine();
  const shown = () => fixture.within((tx) => readServer(tx, NOBODY, server.serverId));
  for (let n = 0; n < 4; n++) await fixture.startTask(server, {}, tool("work"));
  const { late } = await until("it is shown as late", async () => {
    const found = await shown();
    return found.late && found;
  });
  expect(late!.insteadOfMs).toBe(MIN_POLL_MS);
  expect(late!.answerMs).toBeGreaterThanOrEqual(1_200);
  expect(late!.everyMs).toBeGreaterThan(late!.answerMs);
  takesMs = 0;
  await until("it is no more", async () => (await shown()).late === null);
  await fixture.close();
  await remote.close();
});
