/** Background jobs side by side: what fails, or takes long, is one job's own. */
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createDatabase, type Database, Prisma } from "../../base/db/db.ts";
import { createNetwork, type Network } from "../../base/network/network.ts";
import { ALL_ORGANIZATIONS, type Job, JobRunner } from "./job-runner.ts";

let fixture: OrganizationFixture;
let database: Database;
let network: Network;
let runner: JobRunner | undefined;

beforeEach(async () => {
  fixture = await createOrganizationFixture([]);
  database = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL ?? "", { connections: 4 });
  network = createNetwork({ allowHosts: [], denyPorts: [] });
});
afterEach(async () => {
  await runner?.stop();
  await network?.close();
  await database?.close();
  await fixture?.close();
});

function start(...jobs: Job[]): void {
  const log = pino({ level: "silent" });
  runner = new JobRunner({ database, network, seal: fixture.seal, log }, jobs);
  runner.start();
}

/** A job with work for the fixture's organization at each look. */
function job(name: string, given: Partial<Job> = {}): Job & { turns: number } {
  const its = {
    name,
    everyMs: 50,
    isTold: true,
    turns: 0,
    due: () => ALL_ORGANIZATIONS,
    async run() {
      its.turns++;
      return false;
    },
    ...given,
  };
  return its;
}

const BROKEN = Prisma.sql`SELECT gen_random_uuid() AS id FROM (SELECT 1 / 0 AS fails) broken WHERE fails = 1`;

test("where it can't be told when work is due next, work is done all the same", async () => {
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE OR REPLACE FUNCTION gate.next_due() RETURNS TABLE (job text, in_ms float8)
      LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`),
  );
  const told = job("told");
  const untold = job("untold", { isTold: false });
  start(told, untold);
  await until("both have done work, again and again", async () => told.turns > 2 && untold.turns > 2);
});

test("a job whose query fails makes no job wait for another one's work", async () => {
  const held = Promise.withResolvers<boolean>();
  const broken = job("broken", { due: () => BROKEN });
  const slow = job("slow", { run: () => held.promise });
  const quick = job("quick");
  start(broken, slow, quick);
  try {
    await until("the quick one goes on while the slow one is under way", async () => quick.turns > 2);
    expect(broken.turns).toBe(0);
  } finally {
    held.resolve(false);
  }
});

const TWO = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"] as const;
const dueForTwo = () => Prisma.sql`SELECT id::uuid FROM (VALUES (${TWO[0]}), (${TWO[1]})) AS two (id)`;

test("an organization whose work never ends, or waits for a slow server, holds up no other one's", async () => {
  const held = Promise.withResolvers<boolean>();
  const served: Record<string, number> = { endless: 0, slow: 0 };
  const endless = job("endless", {
    due: dueForTwo,
    run: async (_, id) => {
      if (id === TWO[1]) served.endless!++;
      await new Promise((resolve) => setImmediate(resolve));
      return id === TWO[0];
    },
  });
  const slow = job("slow", {
    due: dueForTwo,
    run: async (_, id) => {
      if (id === TWO[0]) return held.promise;
      served.slow!++;
      return false;
    },
  });
  start(endless, slow);
  try {
    await until("the other one is served by both jobs", async () => served.endless! > 0 && served.slow! > 0);
  } finally {
    held.resolve(false);
  }
});

test("an organization whose work comes while another's is under way is served beside it", async () => {
  const held = Promise.withResolvers<boolean>();
  const served: string[] = [];
  const due: string[] = [TWO[0]];
  const slow = job("slow", {
    due: () => Prisma.sql`SELECT unnest(${due}::uuid[]) AS id`,
    run: async (_, id) => {
      served.push(id);
      return id === TWO[0] ? held.promise : false;
    },
  });
  start(slow);
  try {
    await until("the first one is served", async () => served.length === 1);
    due.push(TWO[1]);
    await until("the other one is served", async () => served.includes(TWO[1]));
    expect(served.filter((id) => id === TWO[0])).toHaveLength(1);
  } finally {
    held.resolve(false);
  }
});
