/**
 * How many more questions may be put as elicitation tasks. Judged before a task is stored: beyond, the server's request is refused,
 * and nothing of it is kept.
 */
import { contentOf } from "../../base/content/content-keys.ts";
import type { Tx } from "../../base/db/db.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import { NOBODYS_TASKS, QUESTION_TASKS } from "../../mcp/limits.ts";
import type { Question } from "../../mcp/peer.ts";
import { countNobodys, crowdedQuestions } from "./elicitation-task-reads.ts";

/** A question that is put as a task. */
export interface PutQuestion {
  /** The task's id. */
  id: string;
  question: Question;
  /** The asking task, or those that may have asked. */
  askingTasks: string[];
}

/** Says of one question after the other whether it may be a task: null, or why not. What may be is counted. */
export type TaskRoom = (put: PutQuestion) => string | null;

/** Hashes of questions, regardless of the task, as long as those wait. */
const contents = new WeakMap<Question, string>();

/**
 * Reads how many tasks there are. `waiting`: questions that were put as tasks, and are not known to be any request's yet;
 * `next`: those that are to be judged.
 */
export async function readTaskRoom(
  tx: Tx,
  connectionId: string,
  waiting: PutQuestion[],
  next: PutQuestion[],
): Promise<TaskRoom> {
  const byContent = new Map<string, number>();
  const count = (question: Question) => {
    const content = contents.get(question) ?? questionHash({ taskId: "", ...question });
    contents.set(question, content);
    const before = byContent.get(content) ?? 0;
    byContent.set(content, before + 1);
    return before;
  };
  for (const { question } of waiting) count(question);
  const crowded = await crowdedQuestions(tx, {
    taskIds: [...new Set(next.flatMap(({ askingTasks }) => askingTasks))],
    except: waiting.map(({ id }) => id),
    atLeast: Math.max(1, QUESTION_TASKS - waiting.length - next.length + 1),
  });
  let nobodys = await countNobodys(tx, connectionId, NOBODYS_TASKS);
  return ({ question, askingTasks }) => {
    if (nobodys >= NOBODYS_TASKS) return "Too many questions wait: ask again later";
    const linked = crowded
      .filter(({ taskId }) => askingTasks.includes(taskId))
      .filter(({ taskId, hash }) =>
        contentOf(tx)
          .hashes(questionHash({ taskId, ...question }))
          .includes(hash),
      )
      .reduce((most, { tasks }) => Math.max(most, tasks), 0);
    if (count(question) + linked >= QUESTION_TASKS)
      return `This question waits already, as ${QUESTION_TASKS} tasks`;
    nobodys++;
    return null;
  };
}
