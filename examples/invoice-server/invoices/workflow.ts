import { setTimeout as sleep } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { ask } from "../answers.ts";
import type { Config } from "../config.ts";
import type { Database } from "../database.ts";
import { log } from "../log.ts";
import { APPROVAL, COST_CENTER, COST_CENTER_ABOVE_CENTS, type QuestionKey, totalCents } from "../question.ts";
import { hasEnded } from "../state.ts";
import { getTask, openTasks } from "../store.ts";
import { advance, type LedgerLine, WAKE } from "../transitions.ts";
import { finishPaying, planPayments, recordPayment } from "./payments.ts";
import type { Rules } from "./rules.ts";

/**
 * The processing of an invoice, as a DBOS workflow whose id is the task id. DBOS remembers the finished steps
 * and the ends of waits, so a killed server continues where it was. The state itself is in this server's
 * tables: a message only says "look again", so a lost, late or doubled message is harmless.
 */

const VALIDATION_ATTEMPTS = 5;
/** Messages arrive by LISTEN/NOTIFY; polling only covers a connection lost meanwhile. */
export const POLL_MS = 15_000;

export type Processor = {
  rules: Rules;
  /** Launches DBOS, which resumes every unfinished workflow, then starts tasks that have no workflow yet. */
  launch: () => Promise<void>;
  start: (taskId: string) => Promise<void>;
  forget: (taskIds: string[]) => Promise<void>;
  stop: () => Promise<void>;
};

export function createProcessor(db: Database, config: Config, rules: Rules): Processor {
  const processInvoice = DBOS.registerWorkflow(
    async (taskId: string): Promise<void> => {
      const { large } = await step("begin", async () => {
        await advance(db, taskId, ["SUBMITTED"], "VALIDATING");
        return { large: totalCents((await getTask(db, taskId)).invoice) > COST_CENTER_ABOVE_CENTS };
      });
      await pause();
      const attempt = await validated(taskId);
      if (attempt === null) return;
      if (!(await answered(taskId, APPROVAL, { kind: "validated", data: { attempt } }))) return;
      await pause();
      if (large) {
        await step("reconcile", () => advance(db, taskId, ["APPROVED"], "RECONCILING"));
        await DBOS.sleepms(config.reconcileMs);
        if (!(await answered(taskId, COST_CENTER))) return;
        await pause();
      }
      await paid(taskId);
    },
    // A server may be restarted any number of times during the months of a task.
    { name: "processInvoice", maxRecoveryAttempts: 1_000_000 },
  );

  /** Returns the number of the successful attempt, or null if every attempt reported a mismatch. */
  async function validated(taskId: string): Promise<number | null> {
    for (let attempt = 1; attempt <= VALIDATION_ATTEMPTS; attempt++) {
      if (await step(`validate ${attempt}`, () => validateAgainstErp(config))) return attempt;
      if (attempt < VALIDATION_ATTEMPTS) await DBOS.sleepms(Math.min(1000 * 2 ** (attempt - 1), 30_000));
    }
    await step("mismatch", () =>
      rules.failTask(db, taskId, `the ERP reported a mismatch ${VALIDATION_ATTEMPTS} times`),
    );
    return null;
  }

  async function answered(taskId: string, key: QuestionKey, because?: LedgerLine): Promise<boolean> {
    const expiresAt = await step(`ask ${key}`, () => ask(db, taskId, key, config.answerWithinMs, because));
    if (expiresAt === null) return false;
    for (;;) {
      await DBOS.recv(WAKE, { deadlineEpochMS: expiresAt, pollingIntervalMs: POLL_MS });
      const found = await step(`look ${key}`, () => rules.lookAtQuestion(db, taskId, key, Date.now()));
      if (found !== "open") return found === "answered";
    }
  }

  /** Pays due and forced lines in parallel, and sleeps until the next due date. */
  async function paid(taskId: string): Promise<void> {
    await step("pay", () => advance(db, taskId, ["APPROVED", "CODED"], "PAYING"));
    for (;;) {
      const plan = await step("plan", () => planPayments(db, taskId, Date.now()));
      if (plan.ended) return;
      if (plan.due.length > 0) {
        await Promise.all(
          plan.due.map((line, index) =>
            step(`pay line ${line}`, async () => {
              await sleep(config.stepDelayMs * (index + 1));
              // The task may have been cancelled since the plan.
              if (hasEnded(await getTask(db, taskId))) return;
              await recordPayment(db, taskId, line, await charge(config, `${taskId}-${line}`));
            }),
          ),
        );
      } else if (plan.nextDueAt !== null) {
        await DBOS.recv(WAKE, { deadlineEpochMS: plan.nextDueAt, pollingIntervalMs: POLL_MS });
      } else break;
    }
    await step("finish", () => finishPaying(db, taskId));
  }

  const pause = () => DBOS.sleepms(config.stepDelayMs);

  const start = async (taskId: string) => {
    await DBOS.startWorkflow(processInvoice, { workflowID: taskId })(taskId);
  };

  return {
    rules,
    launch: async () => {
      DBOS.setConfig({
        name: "invoice-server",
        systemDatabaseUrl: db.url,
        systemDatabasePool: db.workflowPool,
        // Fixed, so that every start finds the unfinished workflows of the previous process.
        executorID: "invoice-server",
        applicationVersion: "1",
        runAdminServer: false,
        logger: dbosLogger,
      });
      await DBOS.launch();
      // The previous process may have been killed between storing a task and starting its workflow; starting
      // twice is harmless.
      for (const task of await openTasks(db)) if (task.state === "SUBMITTED") await start(task.taskId);
    },
    start,
    forget: (taskIds) => DBOS.deleteWorkflows(taskIds),
    stop: () => DBOS.shutdown(),
  };
}

/** DBOS's own log: errors as errors, everything else at debug. */
const dbosLogger = {
  info: (entry: unknown) => log.debug(String(entry)),
  debug: (entry: unknown) => log.debug(String(entry)),
  warn: (entry: unknown) => log.debug(String(entry)),
  error: (entry: unknown) => log.error(String(entry)),
};

/**
 * Runs a repeatable step and retries until it succeeds: a database comes back, and a release fixes a bug.
 * Failing the task instead would turn an outage into lost invoices.
 */
export function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  return DBOS.runStep(
    async () => {
      for (let wait = 1000; ; wait = Math.min(wait * 2, 30_000)) {
        try {
          return await run();
        } catch (error) {
          log.error(`${DBOS.workflowID}: step "${name}" failed, trying again in ${wait / 1000} s`, error);
          await sleep(wait);
        }
      }
    },
    { name },
  );
}

/** Stands in for the ERP, and fails with the configured probability, as the payment gateway below. */
async function validateAgainstErp(config: Config): Promise<boolean> {
  return Math.random() >= config.validationMismatch;
}

const GATEWAY_ATTEMPTS = 3;

/**
 * Pays one line. `paymentId` serves as the gateway's idempotency key: a server killed between the payment and
 * its record repeats the call with the same key.
 */
async function charge(
  config: Config,
  paymentId: string,
): Promise<{ reference: string } | { failure: string }> {
  if (Math.random() < config.insufficientFunds) return { failure: "INSUFFICIENT_FUNDS" };
  for (let attempt = 1; attempt <= GATEWAY_ATTEMPTS; attempt++) {
    if (Math.random() >= config.gatewayError)
      return { reference: `PAY-${paymentId.replace(/^invoice-/, "")}` };
    log.debug(`payment ${paymentId}: gateway error, attempt ${attempt} of ${GATEWAY_ATTEMPTS}`);
    if (attempt < GATEWAY_ATTEMPTS) await sleep(1000 * 2 ** (attempt - 1));
  }
  return { failure: "GATEWAY_ERROR" };
}
