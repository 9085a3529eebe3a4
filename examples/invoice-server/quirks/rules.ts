import { inTransaction } from "../database.ts";
import type { Rules } from "../invoices/rules.ts";
import { hasEnded } from "../state.ts";
import { getTask, lockTask } from "../store.ts";
import { end, record, wake } from "../transitions.ts";

/**
 * The original demonstration's errors about answers, cancels and deadlines. The letters are those of
 * README.md.
 */

/** c: An invalid answer rejects the invoice. */
export const rejectUnlessApproved = (rules: Rules): Rules => ({
  ...rules,
  tell: async (db, taskId, key, era, answer) => {
    const told = await rules.tell(db, taskId, key, era, answer);
    if (told.accepted || !told.invalid) return told;
    await inTransaction(db, async (client) => {
      const task = await lockTask(client, taskId);
      if (hasEnded(task)) return;
      await end(client, task, "REJECTED", { reason: "the answer was no approval" });
      await wake(db, client, taskId);
    });
    return { accepted: true };
  },
});

/** f: A second answer to a question is applied too, and breaks the payment under way. */
export const applyTwice = (rules: Rules): Rules => ({
  ...rules,
  tell: async (db, taskId, key, era, answer) => {
    const told = await rules.tell(db, taskId, key, era, answer);
    if (told.accepted || !told.duplicate) return told;
    await inTransaction(db, async (client) => {
      const task = await lockTask(client, taskId);
      await record(client, taskId, "corrupted", { question: key, action: answer.action });
      if (hasEnded(task)) return;
      await end(client, task, "FAILED", { reason: "a second answer corrupted the payment" });
      await wake(db, client, taskId);
    });
    return told;
  },
});

/** g: Expired and cancelled tasks report `working` or `input_required` for ever. */
export const neverEnd = (rules: Rules): Rules => ({
  tell: async (db, taskId, key, era, answer) => {
    const { questionExpiresAt } = await getTask(db, taskId);
    if (!questionExpiresAt || questionExpiresAt.getTime() > Date.now())
      return rules.tell(db, taskId, key, era, answer);
    const why = "Nobody waits for it any more";
    await inTransaction(db, (client) =>
      record(client, taskId, "told", { question: key, era, ...answer, accepted: false, why }),
    );
    return { accepted: false, duplicate: false, invalid: false, why };
  },
  lookAtQuestion: async (db, taskId, key, now) => {
    const { question, questionExpiresAt } = await getTask(db, taskId);
    if (question?.key !== key || !questionExpiresAt || questionExpiresAt.getTime() > now)
      return rules.lookAtQuestion(db, taskId, key, now);
    await inTransaction(db, (client) => record(client, taskId, "gave_up", { question: key }));
    return "ended";
  },
  failTask: (db, taskId, reason) =>
    inTransaction(db, (client) => record(client, taskId, "gave_up", { reason })),
  cancelTask: (db, taskId) =>
    inTransaction(db, async (client) => {
      const task = await lockTask(client, taskId);
      if (hasEnded(task)) return false;
      await record(client, taskId, "cancelled", { state: task.state });
      return true;
    }),
});
