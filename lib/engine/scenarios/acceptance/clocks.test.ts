/** Acceptance scenario 20: servers whose clock is wrong, and that say something new at every poll without any news. */
import { describe, type TestContext, test } from "vitest";
import { age, fingerprintOfRows } from "../../../../test/fixtures/age.ts";
import { lookInto } from "../../../../test/fixtures/look.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { createWorld, until, type World } from "../../../../test/fixtures/world.ts";
import { startTestServer } from "../../../../test/servers/mcp-server.ts";
import { startSessionServer } from "../../../../test/servers/session-server.ts";
import { readTask } from "../../../tasks/queries.ts";
import { STALLED_AFTER_MS } from "../../../tasks/status.ts";

const HOUR_MS = 3600_000;
type Ends = Pick<TestContext, "onTestFinished">;

interface Restless {
  url: string;
  polls(): number;
  /** From the next poll on the status message is another one each time. */
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
async function setScene(era: keyof typeof RESTLESS, { onTestFinished }: Ends) {
  const world = await createWorld(["127.0.0.1"]);
  onTestFinished(() => world.close());
  const remote = await RESTLESS[era]({ onTestFinished });
  const server = await world.addServer(remote.url, era);
  const engine = await world.startEngine();
  const id = await world.startTask(server, {}, tool("wait"));
  await lookInto(() => world).inState(id, "working");
  return { world, remote, engine, id };
}

const detail = (world: World, id: string) =>
  world.within((tx) => readTask(world.organizationId, tx, world.approver, id));
/** Four at the server's pace, then more and more rarely; how long they take is our clock's business. */
const polled = (remote: Restless, times: number) => {
  const before = remote.polls();
  return until(`${times} polls`, async () => remote.polls() >= before + times, 60_000);
};

describe.concurrent.each(["2025-11-25", "2026-07-28"] as const)(
  "20: a server of %s with a clock of its own,",
  { timeout: 120_000 },
  (era) => {
    test("`lastUpdatedAt` is now at each poll: polls get rare, nothing is written, and it counts as stalled", async ({
      expect,
      onTestFinished,
    }) => {
      const { world, remote, engine, id } = await setScene(era, { onTestFinished });
      await polled(remote, 2);
      const rows = await fingerprintOfRows(world);
      const began = performance.now();
      const before = remote.polls();
      await polled(remote, 8);
      // At the 250 ms of this server these would be 8 × 250 ms; the longest pauses are long by now.
      expect((performance.now() - began) / (remote.polls() - before)).toBeGreaterThan(300);
      expect(await fingerprintOfRows(world)).toBe(rows);
      expect((await detail(world, id)).stalled).toBe(false);

      await engine.stop();
      await age(world, id, STALLED_AFTER_MS / (24 * HOUR_MS) + 0.1);
      const polls = remote.polls();
      await world.startEngine();
      await until("it is polled again", async () => remote.polls() > polls);
      expect((await detail(world, id)).stalled).toBe(true);
    });

    test("the status message is a time stamp: polls get rare, no event lines, and it counts as stalled", async ({
      expect,
      onTestFinished,
    }) => {
      const { world, remote, engine, id } = await setScene(era, { onTestFinished });
      const look = lookInto(() => world);
      remote.chatter();
      await polled(remote, 2);
      const events = await look.events();
      const began = performance.now();
      const before = remote.polls();
      await polled(remote, 8);
      expect((performance.now() - began) / (remote.polls() - before)).toBeGreaterThan(300);
      expect((await look.events()) - events).toBeLessThanOrEqual(1);

      await engine.stop();
      await age(world, id, STALLED_AFTER_MS / (24 * HOUR_MS) + 0.1);
      const polls = remote.polls();
      await world.startEngine();
      await until("it is polled again", async () => remote.polls() > polls);
      await until("that poll is worked in", async () =>
        /Still working/.test((await detail(world, id)).statusMessage ?? ""),
      );
      expect(await detail(world, id)).toMatchObject({ state: "working", stalled: true });
    });
  },
);
