import { type Database, inTransaction } from "./database.ts";
import { type Answer, COST_CENTER, judge, type QuestionKey, questionFor } from "./question.ts";
import { hasEnded } from "./state.ts";
import { lockTask } from "./store.ts";
import type { Told } from "./tasks.ts";
import { CLOSE_QUESTION, end, type LedgerLine, record, TOUCH, wake } from "./transitions.ts";

/** Questions to people, and their first answers. */

/**
 * Asks a question, records `because`, and returns when the question expires, in ms; null if the task has
 * ended.
 */
export function ask(
  db: Database,
  taskId: string,
  key: QuestionKey,
  answerWithinMs: number,
  because?: LedgerLine,
): Promise<number | null> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (hasEnded(task)) return null;
    if (task.question?.key === key && task.questionExpiresAt) return task.questionExpiresAt.getTime();
    // The process may have been killed after asking, and the question answered before this step ran again.
    const asked = await client.query("select from invoice_answer where task_id = $1 and question_key = $2", [
      taskId,
      key,
    ]);
    if (asked.rowCount) return Date.now();
    const params = questionFor(key, task.invoice);
    const expiresAt = new Date(Date.now() + answerWithinMs);
    await client.query(
      `update invoice_task set state = $2, question_key = $3, question = $4, question_expires_at = $5, ${TOUCH}
       where task_id = $1`,
      [
        taskId,
        key === COST_CENTER ? "PENDING-COST-CENTER" : "PENDING-APPROVAL",
        key,
        JSON.stringify(params),
        expiresAt,
      ],
    );
    if (because) await record(client, taskId, because.kind, because.data);
    await record(client, taskId, "asked", { question: key, message: params.message, expiresAt });
    return expiresAt.getTime();
  });
}

/**
 * Records an answer. The first valid one wins and changes the state in the same transaction; later answers
 * only go to the ledger. Throws -32602 for an unknown task.
 */
export function tell(db: Database, taskId: string, key: string, era: string, answer: Answer): Promise<Told> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    const told = { question: key, era, action: answer.action, content: answer.content ?? null };
    const refuse = async (why: string, { duplicate = false, invalid = false }): Promise<Told> => {
      await record(client, taskId, "told", { ...told, accepted: false, duplicate, why });
      return { accepted: false, duplicate, invalid, why };
    };
    if (task.question?.key !== key) {
      const { rowCount } = await client.query(
        "select from invoice_answer where task_id = $1 and question_key = $2",
        [taskId, key],
      );
      return rowCount
        ? refuse("The question was answered before", { duplicate: true })
        : refuse("The question is not open", {});
    }
    const verdict = judge(task.question.key, answer);
    if (!verdict.valid) return refuse(verdict.why, { invalid: true });
    await client.query("insert into invoice_answer (task_id, question_key, content) values ($1, $2, $3)", [
      taskId,
      key,
      verdict.content ? JSON.stringify(verdict.content) : null,
    ]);
    await record(client, taskId, "told", { ...told, accepted: true, duplicate: false });
    if (verdict.next === "REJECTED") await end(client, task, "REJECTED", { reason: verdict.reason });
    else
      await client.query(
        `update invoice_task set state = $2, ${CLOSE_QUESTION}, ${TOUCH} where task_id = $1`,
        [taskId, verdict.next],
      );
    await wake(db, client, taskId);
    return { accepted: true };
  });
}

/**
 * Returns the state of a question. An unanswered question fails the task at its deadline: without a decision
 * nothing is paid.
 */
export function lookAtQuestion(
  db: Database,
  taskId: string,
  key: QuestionKey,
  now: number,
): Promise<"open" | "answered" | "ended"> {
  return inTransaction(db, async (client) => {
    const task = await lockTask(client, taskId);
    if (hasEnded(task)) return "ended";
    if (task.question?.key !== key || !task.questionExpiresAt) return "answered";
    if (task.questionExpiresAt.getTime() > now) return "open";
    await end(client, task, "FAILED", {
      reason: "nobody answered in time",
      error: { code: -32603, message: `Invoice ${task.invoice.invoice_id}: nobody answered in time` },
    });
    return "ended";
  });
}
