import { aboutHowLong, formatDuration } from "../../text/duration.ts";
import type { InputRequestDetail } from "../request-schema.ts";

/** Below this the remaining time gets a place of its own on the card. */
const SHORT_MS = 2 * 60_000;

/** Below this the remaining time is amber. */
const NEAR_MS = 60 * 60_000;
/** Above this a list does not tell the remaining time. */
const FAR_MS = 24 * 60 * 60_000;

export interface TimeLeft {
  words: string;
  short: boolean;
  near: boolean;
  far: boolean;
  /** By our clock; the server has the last word. */
  over: boolean;
}

/** The time until an instant, in seconds during the last minute. */
export function timeLeft(until: string, now: number): TimeLeft {
  const ms = Date.parse(until) - now;
  const words =
    ms <= 0
      ? "time is probably up"
      : `${ms < 60_000 ? `${Math.ceil(ms / 1_000)} s` : formatDuration(ms)} left`;
  return { words, short: ms < SHORT_MS, near: ms < NEAR_MS, far: ms > FAR_MS, over: ms <= 0 };
}

/** Returns why a question has to be answered by `expiresAt`, or null if it has no time limit. */
export function timeLimitReason(request: Pick<InputRequestDetail, "expiresAt" | "server" | "task">): {
  /** The limit is a habit of the server, observed rather than announced. */
  habit: boolean;
  words: string;
} | null {
  const { expiresAt, server, task } = request;
  if (expiresAt === null) return null;
  const taskIsLonger = task.expiresAt === null || Date.parse(task.expiresAt) > Date.parse(expiresAt);
  if (server.questionLifetimeMs !== null && taskIsLonger)
    return {
      habit: true,
      words: `This server gives up on questions after about ${aboutHowLong(server.questionLifetimeMs)}.`,
    };
  return { habit: false, words: "The server keeps the task until then." };
}

/** Whether an open request's time limit is urgent: the server has that habit, or little time is left. */
export function isPressing(
  request: Pick<InputRequestDetail, "state" | "expiresAt" | "server" | "task">,
  now: number,
): boolean {
  const reason = timeLimitReason(request);
  if (request.state !== "open" || request.expiresAt === null || reason === null) return false;
  return reason.habit || timeLeft(request.expiresAt, now).short;
}
