/**
 * `npm run seed -- --requests N [--organization acme] [--settled N] [--server name] [--yes]`: fills an inbox
 * with believable requests, to try out a full one. `npm run seed -- --tasks N [--organization acme] [--yes]`:
 * fills the overview and the task monitor with a month of tasks, three of which are stuck. `npm run seed --
 * --remove [--organization acme]`: removes all seeded data, and nothing else. Works whether or not Intray
 * runs.
 */
import { parseArgs } from "node:util";
import pg from "pg";
import { createSeal } from "../lib/base/seal.ts";
import type { EventType } from "../lib/history/events/event-schema.ts";
import { COMMAND_LINE } from "../lib/people/organizations/organization-writes.ts";
import { sealingKeys, withOwnerUrl } from "./commands/with-database.ts";
import { migrate } from "./migrate.ts";
import { removeSeededRule, seedRule } from "./seed/automatic.ts";
import { fill } from "./seed/fill.ts";
import { removeSeeded } from "./seed/remove.ts";
import { fillTasks } from "./seed/tasks.ts";

const OPTIONS = {
  requests: { type: "string" },
  tasks: { type: "string" },
  settled: { type: "string", default: "0" },
  organization: { type: "string", default: "acme" },
  server: { type: "string" },
  remove: { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
} as const;

/** Fewer tasks can't show a typical month. */
const FEWEST_TASKS = 100;

class UsageError extends Error {}

type Say = (line: string) => void;

/** What was asked for. */
interface Order {
  slug: string;
  open: number;
  settled: number;
  /** Null: requests are seeded, or removed. */
  tasks: number | null;
  server: string | undefined;
  removes: boolean;
  /** Also where it is not the demonstration's. */
  isMeant: boolean;
  say: Say;
}

/** Seeds, or removes what was seeded. Returns the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runSeed(args: string[], say: Say): Promise<number> {
  try {
    await carryOut(readOrder(args, say));
    return 0;
  } catch (error) {
    say((error as Error).message);
    return error instanceof UsageError ? 2 : 1;
  }
}

function readOrder(args: string[], say: Say): Order {
  const { values } = parseArgs({ args, options: OPTIONS });
  const tasks = values.tasks === undefined ? null : whole("tasks", values.tasks);
  return {
    slug: values.organization,
    open: values.remove || tasks !== null ? 0 : whole("requests", values.requests),
    settled: whole("settled", values.settled),
    tasks,
    server: values.server,
    removes: values.remove,
    isMeant: values.yes,
    say,
  };
}

async function carryOut(order: Order): Promise<void> {
  await withOwnerUrl(async (ownerUrl, started) => {
    if (started) await migrate(ownerUrl, order.say);
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    try {
      const organization = await organizationOf(client, order.slug);
      await (order.removes ? remove : seed)(client, ownerUrl, organization, order);
    } finally {
      await client.end();
    }
  });
}

interface Organization {
  id: string;
  name: string;
  demo: boolean;
}

/** Finds the organization by its slug, and limits the connection to it from here on. */
async function organizationOf(client: pg.Client, slug: string): Promise<Organization> {
  const { rows } = await client.query<{ id: string; name: string }>(
    "SELECT id, name FROM gate.organization_by_slug($1)",
    [slug],
  );
  const organization = rows[0];
  if (!organization)
    throw new Error(
      `There is no organization "${slug}". The demonstration's are made by the first \`npm start\`.`,
    );
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organization.id]);
  const { rows: found } = await client.query("SELECT demo FROM organization WHERE id = $1", [
    organization.id,
  ]);
  return { ...organization, demo: found[0]?.demo === true };
}

async function seed(
  client: pg.Client,
  ownerUrl: string,
  organization: Organization,
  order: Order,
): Promise<void> {
  const { tasks, isMeant, say } = order;
  if (!organization.demo && !isMeant)
    throw new Error(
      `${organization.name} is not the demonstration's. What is seeded there stands beside what is real until --remove: say --yes if you mean it.`,
    );
  const began = performance.now();
  await (tasks === null
    ? seedRequests(client, organization, order)
    : seedTasks(client, ownerUrl, organization, tasks, say));
  await analyze(client);
  say(
    `Done in ${Math.round((performance.now() - began) / 1000)} s. \`npm run seed -- --remove\` takes them away again.`,
  );
}

async function seedTasks(
  client: pg.Client,
  ownerUrl: string,
  organization: Organization,
  count: number,
  say: Say,
): Promise<void> {
  if (count < FEWEST_TASKS) throw new Error(`--tasks wants ${FEWEST_TASKS} or more: a month of them.`);
  say(
    `Filling the task monitor of ${organization.name} with ${count} tasks of the last 30 days, for trying out. Three of them are stuck, each for another reason: open /overview and find them. They belong to servers called "Seed …" that do not exist: no tool was called, and the engine asks nobody about them.`,
  );
  const seal = createSeal(sealingKeys());
  const rule = await seedRule(ownerUrl, organization.id);
  say(
    rule
      ? "Its policy gets a rule in shadow, about seeded servers alone: Settings → Policy shows where people decided otherwise."
      : "Changes of its policy need a second admin, so that no rule in shadow is seeded.",
  );
  await fillTasks(client, organization.id, { tasks: count, seal, rule, onProgress: told(count, say) });
  await tell(client, "requests.seeded", { tasks: count });
}

async function seedRequests(
  client: pg.Client,
  organization: Organization,
  { open, settled, server, say }: Order,
): Promise<void> {
  say(
    `Filling the inbox of ${organization.name} with ${open} open and ${settled} settled requests, for trying out. They belong to servers called "Seed …" that do not exist: no tool was called, and the engine asks nobody about them. Answers to them are recorded and stay unsent.`,
  );
  await fill(client, organization.id, {
    open,
    settled,
    server,
    onProgress: told(open + settled, say),
  });
  await tell(client, "requests.seeded", { open, settled });
}

async function remove(
  client: pg.Client,
  ownerUrl: string,
  organization: Organization,
  { say }: Order,
): Promise<void> {
  say(`Removing from ${organization.name} what was seeded there.`);
  const { tasks, servers, kept } = await removeSeeded(client, organization.id, toldEvery(20_000, say));
  await removeSeededRule(ownerUrl, organization.id);
  if (tasks + servers > 0) await tell(client, "requests.unseeded", { tasks, servers });
  await analyze(client);
  say(`Removed ${tasks} tasks with their requests, and ${servers} servers. The history keeps its lines.`);
  if (kept > 0)
    say(`${kept} tasks are kept, with their server: people started them there, or again from them.`);
}

/** Updates the planner's statistics after rows were added or removed. */
async function analyze(client: pg.Client): Promise<void> {
  await client.query("ANALYZE task, input_request, answer, delivery, claim, statistic");
}

async function tell(client: pg.Client, type: EventType, data: object): Promise<void> {
  await client.query("SELECT append_event($1, $2, NULL, NULL, $3)", [
    type,
    JSON.stringify(COMMAND_LINE),
    JSON.stringify(data),
  ]);
}

/** Reports progress at every tenth. */
function told(all: number, say: Say): (written: number) => void {
  let next = all / 10;
  return (written) => {
    if (written < next || all < 10_000) return;
    next = written + all / 10;
    say(`  ${written} of ${all}`);
  };
}

/** Reports progress where the total is unknown. */
function toldEvery(step: number, say: Say): (removed: number) => void {
  let next = step;
  return (removed) => {
    if (removed < next) return;
    next = removed + step;
    say(`  ${removed} removed`);
  };
}

function whole(name: string, text: string | undefined): number {
  const value = Number(text);
  if (text && Number.isInteger(value) && value >= 0) return value;
  throw new UsageError(`--${name} wants a whole number, e.g. npm run seed -- --requests 100000`);
}

if (import.meta.main)
  process.exitCode = await runSeed(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
