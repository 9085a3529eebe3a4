import { DBOS } from "@dbos-inc/dbos-sdk";
import { z } from "zod";
import type { Config } from "../config.ts";
import type { Database } from "../database.ts";
import { POLL_MS, step } from "../invoices/workflow.ts";
import type { Question } from "../question.ts";
import type { Tasks, TaskView } from "../tasks.ts";
import { idempotencyKeyOf } from "../tool.ts";
import { WAKE } from "../transitions.ts";
import {
  beginAsking,
  cancelOfficeTask,
  createOfficeTask,
  finishOfficeTask,
  getOfficeTask,
  listOfficeTasks,
  lookAtOfficeQuestion,
  mayChange,
  noteShown,
  type OfficeTask,
  prepareOffice,
  QUESTION_KEY,
  tellOffice,
  unfinishedOfficeTasks,
} from "./store.ts";
import { describeTool, readArguments } from "./tool.ts";
import { officeTools } from "./tools/all.ts";

/**
 * The tools besides the invoices: each asks a person at most once, in its own way. Their tasks are as durable
 * as the invoices.
 */
export type Office = Tasks & {
  ownsTool: (params: unknown) => boolean;
  ownsTask: (taskId: string) => boolean;
  /** Resumes the tasks of the previous process. Call it once DBOS is launched. */
  resume: () => Promise<void>;
};

/**
 * Must be called before DBOS is launched. `pages` returns the base URL at which browsers reach this server.
 */
export async function createOffice(db: Database, config: Config, pages: () => string): Promise<Office> {
  await prepareOffice(db);
  const pause = () => DBOS.sleepms(config.stepDelayMs);

  const runOfficeTask = DBOS.registerWorkflow(
    async (taskId: string): Promise<void> => {
      await pause();
      if (!(await step("begin", () => beginAsking(db, taskId, config.answerWithinMs)))) return;
      for (;;) {
        const { state, at } = await step("look", () =>
          lookAtOfficeQuestion(db, taskId, Date.now(), config.changeAfterMs),
        );
        if (state !== "asking" && state !== "visiting") break;
        await DBOS.recv(WAKE, { deadlineEpochMS: at, pollingIntervalMs: POLL_MS });
      }
      await pause();
      await step("finish", () => finishOfficeTask(db, taskId));
    },
    { name: "runOfficeTask", maxRecoveryAttempts: 1_000_000 },
  );

  const run = async (taskId: string) => {
    await DBOS.startWorkflow(runOfficeTask, { workflowID: taskId })(taskId);
  };
  const viewOf = (task: OfficeTask) => toView(task, pages());

  return {
    tools: officeTools.map(describeTool),
    ownsTool: (params) => officeTools.some(({ name }) => name === toolNamed(params)),
    ownsTask: (taskId) => taskId.startsWith("office-"),
    read: (params) => {
      const tool = officeTools.find(({ name }) => name === toolNamed(params))!;
      const args = readArguments(tool, callSchema.parse(params).arguments);
      const key = idempotencyKeyOf(params);
      return { tool: tool.name, create: async () => viewOf(await createOfficeTask(db, tool, args, key)) };
    },
    run,
    get: async (taskId) => viewOf(await getOfficeTask(db, taskId)),
    noteShown: (taskId) => noteShown(db, taskId),
    list: async (after, limit) => (await listOfficeTasks(db, after, limit)).map(viewOf),
    tell: (taskId, key, era, answer) => tellOffice(db, taskId, key, era, answer),
    cancel: (taskId) => cancelOfficeTask(db, taskId),
    resume: async () => {
      // Starting twice is harmless: the workflow's id is the task's.
      for (const taskId of await unfinishedOfficeTasks(db)) await run(taskId);
    },
  };
}

const callSchema = z.looseObject({ name: z.string(), arguments: z.unknown() });
const toolNamed = (params: unknown) => callSchema.safeParse(params).data?.name;

function toView(task: OfficeTask, pages: string): TaskView {
  const { taskId, state, question, page, ending, error, ttlMs, createdAt, updatedAt } = task;
  const open: Question | null =
    state === "asking" && question
      ? {
          key: QUESTION_KEY,
          params:
            question.mode === "form"
              ? question
              : { ...question, url: new URL(`/confirm/${question.elicitationId}`, pages).href },
        }
      : null;
  return {
    taskId,
    status: STATUS[state],
    statusMessage: messageOf(task),
    question: open,
    isUnseen: open !== null && task.questionShownAt === null && mayChange(task),
    finishedPage: page?.elicitationId ?? null,
    progress: null,
    result:
      state === "done" && ending
        ? {
            content: [{ type: "text", text: ending.text }],
            structuredContent: { ...ending.details, status: ending.status },
            isError: ending.isError === true,
          }
        : null,
    error,
    ttlMs,
    createdAt,
    updatedAt,
  };
}

const STATUS = {
  working: "working",
  asking: "input_required",
  visiting: "working",
  decided: "working",
  done: "completed",
  failed: "failed",
  cancelled: "cancelled",
} as const;

function messageOf({ tool: { saying }, state, ending, error }: OfficeTask): string {
  return {
    working: saying.before,
    asking: saying.asking,
    visiting: `${saying.asking} on the page`,
    decided: saying.after,
    done: ending?.text ?? "",
    failed: error?.message ?? "",
    cancelled: "Cancelled",
  }[state];
}
