import { organizationsWithOwnQuestions, settleOwnQuestions } from "../../human-tasks/settle.ts";
import { OWN_QUESTIONS_MS } from "../tunables.ts";
import type { Job } from "./jobs.ts";

/** Settles answers to questions of Intray's own, and ends those whose time is up. */
export const OWN_QUESTIONS: Job = {
  name: "own questions",
  everyMs: OWN_QUESTIONS_MS,
  isTold: true,
  due: organizationsWithOwnQuestions,
  run: ({ database }, organizationId) => settleOwnQuestions(organizationId, database),
};
