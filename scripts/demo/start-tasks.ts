/**
 * The demonstration's first minute: checks its servers, starts its tasks and gives the prepared answers,
 * through the functions that the API calls. Needs the database, the sample server and an engine, but not the
 * web app. Can be killed at any moment and run again: each task is started once, and given answers stay.
 * Removes the file that DEMO_TASKS_MARK names once everything is done.
 */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase } from "../../lib/base/db/db.ts";
import { env, need } from "../../lib/base/env.ts";
import { AppError } from "../../lib/base/errors.ts";
import { keyRing } from "../../lib/base/key-ring.ts";
import { createNetwork } from "../../lib/base/network/network.ts";
import type { Services } from "../../lib/base/process/services.ts";
import { createSeal } from "../../lib/base/seal.ts";
import { startTask } from "../../lib/lifecycle/start.ts";
import { recordDecision } from "../../lib/requests/answers/answer-writes.ts";
import { checkServer } from "../../lib/servers/check.ts";
import { probe } from "../../lib/servers/probe.ts";
import { DEMO_KEY } from "../../lib/tasks/task-status.ts";
import { ACME, fixedId, GLOBEX, type Organization, principalOf } from "../../prisma/seed-demo.ts";
import { type DemoAnswer, type DemoTask, demoTasks } from "./tasks.ts";

/** After this long, unfinished work is left to the next start. */
const PATIENCE_MS = 180_000;
const LOOK_EVERY_MS = 250;

async function startDemoTasks(services: Services, now: Date): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  await sampleServersAnswer(services, deadline);
  for (const organization of [ACME, GLOBEX]) await checkServers(services, organization);
  const [first, ...others] = demoTasks(now);
  if (!first) return;
  const firstId = await started(services, first);
  await questionOf(services, first, firstId, 0, deadline);
  const ids = [];
  // One after the other, so that lists show them in this order.
  for (const task of others) ids.push({ task, id: await started(services, task) });
  await Promise.all(ids.map(({ task, id }) => answered(services, task, id, deadline)));
}

/** Waits for the sample servers by probing them directly, so that their start-up is not recorded as an outage. */
async function sampleServersAnswer(services: Services, deadline: AbortSignal): Promise<void> {
  for (const url of new Set((await serversOf(services, ACME)).map((server) => server.url)))
    for (;;) {
      const { health } = await probe({ url, headers: {} }, "auto", services.network);
      if (health.state === "ok") break;
      await again(deadline, `the sample server (${health.message})`);
    }
}

async function checkServers(services: Services, organization: Organization): Promise<void> {
  const owner = principalOf(organization, organization.people[0]?.name ?? "");
  for (const { id } of await serversOf(services, organization)) await checkServer(services, owner, id);
}

/** The demonstration's own, as far as they are there. */
function serversOf({ db }: Services, { id: organizationId, servers }: Organization) {
  const ids = servers.map(({ n }) => fixedId(n));
  return db.withOrganization(organizationId, (tx) =>
    tx.server.findMany({
      where: { organizationId, id: { in: ids }, removedAt: null },
      select: { id: true, url: true },
      orderBy: { id: "asc" },
    }),
  );
}

/** Returns the id of the task, which an earlier run may have started. */
async function started(services: Services, task: DemoTask): Promise<string> {
  const { organization, number } = task;
  const organizationId = organization.id;
  const idempotencyKey = `${DEMO_KEY}${number}`;
  const earlier = await services.db.withOrganization(organizationId, (tx) =>
    tx.task.findFirst({ where: { organizationId, idempotencyKey }, select: { id: true } }),
  );
  if (earlier) return earlier.id;
  const start = {
    serverId: serverOf(organization, task.server),
    tool: task.tool,
    arguments: task.arguments,
    ttlMs: null,
    idempotencyKey,
    restartOf: null,
  };
  return (await startTask(services, principalOf(organization, task.startedBy), start)).task.id;
}

/** Gives the task's answers, from the first that was not given yet. */
async function answered(
  services: Services,
  task: DemoTask,
  taskId: string,
  deadline: AbortSignal,
): Promise<void> {
  for (const [given, answer] of task.answers.entries()) {
    const question = await questionOf(services, task, taskId, given, deadline);
    if (question) await record(services, task, question, answer);
  }
}

/** Returns the open question after `given` answers, or null if it was answered or the task has ended. */
async function questionOf(
  { db }: Services,
  { organization, number }: DemoTask,
  taskId: string,
  given: number,
  deadline: AbortSignal,
): Promise<{ id: string; questionHash: string } | null> {
  const organizationId = organization.id;
  for (;;) {
    const { task, requests, answers } = await db.withOrganization(organizationId, async (tx) => ({
      task: await tx.task.findFirstOrThrow({ where: { organizationId, id: taskId } }),
      requests: await tx.inputRequest.findMany({ where: { organizationId, taskId, state: "open" } }),
      answers: await tx.inputRequest.count({
        where: { organizationId, taskId, state: { in: ["answered", "settled"] } },
      }),
    }));
    if (task.finishedAt || answers > given) return null;
    const [open] = requests;
    if (open && answers === given) return open;
    await again(deadline, `the question of ${number}`);
  }
}

async function record(
  { db }: Services,
  { organization }: DemoTask,
  { id, questionHash }: { id: string; questionHash: string },
  { by, ...answer }: DemoAnswer,
): Promise<void> {
  const principal = principalOf(organization, by);
  await db
    .withOrganization(organization.id, (tx) => recordDecision(tx, principal, id, { ...answer, questionHash }))
    .catch((error: unknown) => {
      // A visitor decided the question meanwhile, which counts.
      const isDecided = error instanceof AppError && DECIDED.includes(error.code);
      if (!isDecided) throw error;
    });
}

const DECIDED = ["already_answered", "claimed_by_other", "question_changed", "no_longer_open"];

async function again(deadline: AbortSignal, what: string): Promise<void> {
  if (deadline.aborted) throw new Error(`waited in vain for ${what}`);
  await sleep(LOOK_EVERY_MS);
}

function serverOf(organization: Organization, name: string): string {
  return fixedId(organization.servers.find((server) => server.name === name)?.n ?? 0);
}

if (import.meta.main) {
  const { DEMO_TASKS_MARK: mark } = process.env;
  if (!mark) {
    process.stderr.write("Set DEMO_TASKS_MARK to the file that says that tasks are to be started.\n");
    process.exit(2);
  }
  const db = createDatabase(need("appDatabaseUrl"), { connections: 4 });
  const network = createNetwork({ allowHosts: env().allowHosts, denyPorts: env().denyPorts });
  try {
    await startDemoTasks({ db, network, seal: createSeal(keyRing().keys) }, new Date());
    rmSync(mark, { force: true });
  } catch (error) {
    process.stderr.write(`${(error as Error).message.trim().split("\n").at(-1)}\n`);
    process.exitCode = 1;
  } finally {
    await network.close();
    await db.close();
  }
}
