/** Acceptance scenario 20: servers whose clock is wrong, and that say something new at every poll without any news. */
import { describe, type TestContext, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { age, fingerprintOfRows } from "../../../../test/fixtures/row-age.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../../test/servers/mcp-server.ts";
import { startSessionServer } from "../../../../test/servers/session-server.ts";
import { readTask } from "../../../tasks/task-reads.ts";
import { STALLED_AFTER_MS } from "../../../tasks/task-status.ts";

const HOUR_MS = 3600_000;
type Ends = Pick<TestContext, "onTestFinished">;

interface Restless {
  url: string;
  polls(): number;
  /** Changes the status message at every poll from now on. */
  chatter(): void;
}

/** Each has a clock that is an hour ahead and a `lastUpdatedAt` of now, and a task that works for ever. */
const RESTLESS = {
  "2025-11-25": async ({ onTestFinished }: Ends): Promise<Restless> => {
    const remote = await startSessionServer();
    onTestFinished(() => remote.close());
    remote.behave.clockMs = HOUR_MS;
    return {
      url: remote.url,
      polls: () => remote.seen.filter(({ method }) => method === "tasks/get").length,
      chatter: () => {
        remote.behave.get = (task) =>
          void Object.assign(task, { statusMessage: saying(Date.now() + HOUR_MS) });
      },
    };
  },
  "2026-07-28": async ({ onTestFinished }: Ends): Promise<Restless> => {
    const remote = await startTestServer();
    onTestFinished(() => remote.close());
    let polls = 0;
    let chatters = false;
    remote.behave.onGet = (task) => {
      polls++;
      const ahead = Date.now() + HOUR_MS;
      task.lastUpdatedAt = new Date(ahead).toISOString();
      if (chatters) task.statusMessage = saying(ahead);
    };
    return {
      url: remote.url,
      polls: () => polls,
      chatter: () => {
        chatters = true;
      },
    };
  },
};
const saying = (time: number) => `Still working (${new Date(time).toISOString()})`;

/** A task of a restless server, six hours and more after its last change. */
async function createClockFixture(era: keyof typeof RESTLESS, { onTestFinished }: Ends) {
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  onTestFinished(() => fixture.close());
  const remote = await RESTLESS[era]({ onTestFinished });
  const server = await fixture.addServer(remote.url, era);
  const engine = await fixture.startEngine();
  const id = await fixture.startTask(server, {}, tool("wait"));
  await createQueries(() => fixture).inState(id, "working");
  return { organization: fixture, remote, engine, id };
}

const detail = (fixture: OrganizationFixture, id: string) =>
  fixture.within((tx) => readTask(tx, fixture.approver, id));
/** Four at the server's pace, then more and more rarely; how long they take is our clock's business. */
const polled = (remote: Restless, times: number) => {
  const before = remote.polls();
  return until(`${times} polls`, async () => remote.polls() >= before + times);
};

describe.concurrent.each(["2025-11-25", "2026-07-28"] as const)(
  "20: a server of %s with a clock of its own,",
  { timeout: 120_000 },
  (era) => {
    test("`lastUpdatedAt` is now at each poll: polls get rare, nothing is written, and it counts as stalled", async ({
      expect,
      onTestFinished,
    }) => {
      const { organization, remote, engine, id } = await createClockFixture(era, { onTestFinished });
      await polled(remote, 2);
      const rows = await fingerprintOfRows(organization);
      const began = performance.now();
      const before = remote.polls();
      await polled(remote, 8);
      // At the server's interval eight polls would take 8 × 250 ms; by now the pauses are longer.
      expect((performance.now() - began) / (remote.polls() - before)).toBeGreaterThan(300);
      expect(await fingerprintOfRows(organization)).toBe(rows);
      expect((await detail(organization, id)).stalled).toBe(false);

      await engine.stop();
      await age(organization, id, STALLED_AFTER_MS / (24 * HOUR_MS) + 0.1);
      const polls = remote.polls();
      await organization.startEngine();
      await until("it is polled again", async () => remote.polls() > polls);
      expect((await detail(organization, id)).stalled).toBe(true);
    });

    test("the status message is a time stamp: polls get rare, no event lines, and it counts as stalled", async ({
      expect,
      onTestFinished,
    }) => {
      const { organization, remote, engine, id } = await createClockFixture(era, { onTestFinished });
      const queries = createQueries(() => organization);
      remote.chatter();
      await polled(remote, 2);
      const events = await queries.events();
      const began = performance.now();
      const before = remote.polls();
      await polled(remote, 8);
      expect((performance.now() - began) / (remote.polls() - before)).toBeGreaterThan(300);
      expect((await queries.events()) - events).toBeLessThanOrEqual(1);

      await engine.stop();
      await age(organization, id, STALLED_AFTER_MS / (24 * HOUR_MS) + 0.1);
      const polls = remote.polls();
      await organization.startEngine();
      await until("it is polled again", async () => remote.polls() > polls);
      await until("that poll is worked in", async () =>
        /Still working/.test((await detail(organization, id)).statusMessage ?? ""),
      );
      expect(await detail(organization, id)).toMatchObject({ state: "working", stalled: true });
    });
  },
);
