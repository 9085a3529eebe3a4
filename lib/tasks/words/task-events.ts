import type { EventType } from "../../history/events/event-schema.ts";
import {
  type Data,
  type EventWords,
  inWords,
  type Line,
  reason,
  say,
  text,
  type Words,
} from "../../history/events/event-words.ts";
import { formatDuration } from "../../text/duration.ts";
import { plural, shorten, uncapitalise } from "../../text/labels.ts";
import { serverStateLabel } from "./state-labels.ts";

/** One line of a task's history in plain words. Server text inside is untrusted and stays text. */
export function describeTaskEvent(line: Line): EventWords {
  return inWords(TASK_WORDS, line);
}

/**
 * The words of task events, which every request's page loads. Other events of the organization's history are
 * in `lib/web/words/activity-words.ts`.
 */
export const TASK_WORDS = {
  "task.queued": (data, who) =>
    text(data.retryOf)
      ? say(`Queued to be tried again${numbered(data)}`)
      : say(`${who} started it${text(data.raceId) ? " in a race" : ""}${insisted(data)}`),
  "task.retry_queued": (data) => say(`To be tried again${numbered(data)}, as a new task`, "wait"),
  "task.retry_refused": (data) => say("Not tried again", "wait", text(data.reason)),
  "race.won": () => say("Won the race: the others are told to stop", "accent"),
  "race.failed": () => say("The race ended without a success", "bad"),
  "task.starting": () => say("Calling the server"),
  "task.started": (data) =>
    data.durable === false
      ? say("The call is running. The server did not make it a task", "wait")
      : say("Task accepted by the server"),
  "task.asking": () => say("The tool asks before it begins"),
  "task.status": (data) => {
    const status = text(data.statusMessage);
    return status ? say("Server says", undefined, status) : say("Status changed");
  },
  "task.state": (data) => say(stateChange(data)),
  "task.completed": (data) => say("Completed", data.isError === true ? "bad" : "accent", text(data.outcome)),
  "task.not_started": (data) => say("Not started yet, trying again", "wait", text(data.message)),
  "task.failed": (data) => say("Failed", "bad", text(data.message) ?? text(data.code)),
  "task.cancel_requested": (data, who) =>
    say(
      text(data.raceId)
        ? "Another server was first: asked to cancel"
        : `${ruleOf(data) ?? who} asked to cancel`,
    ),
  "task.cancel_sent": ({ once }) => say(once ? "Server is told to cancel, once" : "Server told to cancel"),
  "task.cancelled": (data) =>
    say(
      text(data.winnerTaskId)
        ? "Cancelled: another server was first"
        : ruleOf(data)
          ? `${ruleOf(data)} cancelled it`
          : "Cancelled",
    ),
  "task.server_state": (data) => {
    const state = text(data.serverState);
    return say(state ? `Server says “${serverStateLabel(state)}”` : "Server says something else");
  },
  "task.lost": (data) => say(LOST_BY[text(data.code) ?? ""] ?? "The server no longer knows this task", "bad"),
  "task.expired": () => say("Expired: the server’s time for it ran out", "bad"),
  "task.start_unknown": () =>
    say("The connection broke while starting: unknown whether the server began", "wait"),
  "task.adopted": (_, who) =>
    say(
      who === "Intray" ? "Found again at the server after a break" : `${who} took it over from the server`,
      "accent",
    ),
  "task.start_settled": (data, who) =>
    say(
      data.started === true ? `${who} found what the start had made` : `${who} found that it never started`,
    ),
  "task.approved": (data, who) =>
    Array.isArray(data.changed)
      ? say(`${who} approved the call with changes`, "accent", list(data.changed))
      : say(`${who} approved the call`, "accent"),
  // Questions of a server are told by the engine.
  "request.opened": (data, who) =>
    say(`${who === "Intray" ? asker(data) : who} asked`, "wait", text(data.message)),
  "request.used": (_, who) => say(`${who} used the approval`),
  "request.outcome_reported": (data, who) =>
    data.outcome === "succeeded"
      ? say(`${who} reported that the call succeeded`, "accent", text(data.note))
      : say(`${who} reported that the call failed`, "bad", text(data.note)),
  "standing_approval.given": (data, who) =>
    say(`${who} approved calls like this ${boundsIn(data)}`, "accent"),
  "standing_approval.used": (data) => say(`Approved for a while by ${nameIn(data.by)}`, "accent"),
  "standing_approval.revoked": (_, who) => say(`${who} revoked the approval for a while`, "wait"),
  "request.replaced": (data) => say(`${asker(data)} asked a different question instead`, "wait"),
  "request.reworded": (data) => say(`${asker(data)} changed the wording again`, "wait", text(data.message)),
  "request.withdrawn": (data) => say(`Question withdrawn${why(data)}${ofAnswer(data)}`),
  "request.expired": (data) =>
    say(`Question expired${data.answer ? "" : " unanswered"}${why(data)}${ofAnswer(data)}`, "bad"),
  "request.asked_again": () => say("Server put the same question again"),
  "request.reopened": (data) => say(`${asker(data)} repeated a question that could not be answered`, "wait"),
  "request.undeliverable": (data) =>
    say(
      `Delivery of the answer failed${why(data)}${data.answer === "in_doubt" ? ofAnswer(data) : ""}`,
      "bad",
    ),
  "request.claimed": (_, who) => say(`${who} claimed the request`),
  "request.released": (_, who) => say(`${who} released the request`),
  "request.assigned": (data, who) =>
    say(
      text(data.name)
        ? `${who} handed the request over to ${text(data.name)}`
        : `${who} changed who is assigned`,
      undefined,
      text(data.note),
    ),
  "request.reminded": (data) =>
    say(
      `Reminded ${list(data.of) ?? "nobody: no missing vote belongs to somebody here"}${inStage(data)}`,
      "wait",
    ),
  "request.escalated": (data) =>
    say(`Asked ${list(data.to) ?? "others"} too${inStage(data)}: not full ${inTime(data, "after")}`, "wait"),
  "request.lapsed": (data) =>
    say(
      `Not decided ${inTime(data, "within")}${
        data.cancels === true ? "" : ": nobody is reminded any more, and it can still be answered"
      }`,
      "bad",
    ),
  "request.commented": (data, who) =>
    say(list(data.mentions) ? `${who} commented, and mentioned ${list(data.mentions)}` : `${who} commented`),
  "request.comment_deleted": (_, who) => say(`${who} deleted a comment`),
  "request.info_asked": (data, who) =>
    say(`${who} asked ${text(data.name) ?? "the requester"} for information`, "wait"),
  "request.info_given": (data, who) => {
    if (data.via === "left")
      return say(`${text(data.name) ?? "The person asked"} left before giving the information`);
    return say(data.via === "reply" ? `${who} gave the information` : `${who} has the information needed`);
  },
  "request.last_taken": () =>
    say("The server asks too many questions for one task. Later ones are not shown", "bad"),
  // Who voted, and what they said, is in the lines of the votes.
  "answer.recorded": (data, who) =>
    Array.isArray(data.votes)
      ? say(`Decided by ${plural(data.votes.length, "vote")}: ${answerWord(data)}`, "accent")
      : say(`${who} ${answerWord(data)}`, "accent", text(data.comment)),
  "vote.recorded": (data, who) =>
    say(
      `${who} ${uncapitalise(text(data.words) ?? (data.agrees === true ? "agreed" : "rejected"))}${forWhom(data)}${inStage(data)}`,
      data.agrees === true ? "accent" : "bad",
      text(data.comment),
    ),
  "vote.taken_back": (data, who) =>
    say(
      forWhom(data)
        ? `${who} took the vote${forWhom(data)} back${inStage(data)}`
        : `${who} took their vote back${inStage(data)}`,
    ),
  "request.judged_again": ({ from, to }, who) =>
    say(`${who} had the request judged again: ${byRule(from)} → ${byRule(to)}`, "wait"),
  "vote.dropped": (data) =>
    say(`Votes no longer count: ${DROPPED[text(data.reason) ?? ""] ?? "decide again"}`, "wait"),
  "answer.undone": (data, who) =>
    data.reason === "automatic_stopped"
      ? say(`${who} stopped all automatic answers: this one was taken back before it was sent`, "wait")
      : say(`${who} took the answer back before it was sent`),
  "delivery.sending": (data) =>
    say(Number(data.attempt) > 1 ? `Sending the answer, attempt ${data.attempt}` : "Sending the answer"),
  "delivery.accepted": () => say("Answer accepted by the server", "accent"),
  "delivery.confirmed": (data) => {
    // The server or the caller is not told by this: a call is made, or an answer is fetched, afterwards.
    if (data.reply === "not_needed") return say("Decision is final", "accent");
    if (data.reply === "lost")
      return say("Task moved on; the server’s reply to the answer was lost", "accent");
    const vanished = VANISHED.has(text(data.ended) ?? "");
    return say(
      vanished ? "Server has the answer; the task ended before it moved on" : "Task moved on",
      "accent",
    );
  },
  "delivery.unsent": (data) =>
    say(
      data.reason === "interrupted"
        ? "No reply to the answer, and the server still asks: sending it again"
        : `Not sent yet, trying again${why(data)}`,
    ),
  "delivery.waiting": (data) =>
    say(
      data.until === "fetch"
        ? "The answer is ready: the server fetches it"
        : "The answer waits: the server no longer asks its question. Intray asks the server for it again",
      "wait",
    ),
  "delivery.flagged": () => say("The server took the answer but keeps asking", "wait"),
  "delivery.resend": (_, who) => say(`${who} sent the same answer again`),
} satisfies Partial<Record<EventType, Words>>;

/** `for 1 h, at most 5 times` */
function boundsIn({ forMs, uses }: Data): string {
  const time = typeof forMs === "number" ? `for ${formatDuration(forMs)}` : "for a while";
  return typeof uses === "number" ? `${time}, at most ${plural(uses, "time")}` : time;
}

function nameIn(by: unknown): string {
  return text((by as Data | null | undefined)?.name) ?? "somebody";
}

/** Whose question the engine took. */
const asker = (data: Data) => (data.via === "recipe" ? "Recipe" : "Server");
/** `after 2d`; how long it was may be gone with the line's details. */
function inTime({ after }: Data, word: "after" | "within"): string {
  return text(after) ? `${word} ${text(after)}` : "in time";
}

/** The rule of the policy that did it, whose time was over. */
function ruleOf({ rule, version }: Data): string | undefined {
  return text(rule) && `The rule “${text(rule)}” (version ${version})`;
}

function list(names: unknown): string | undefined {
  return Array.isArray(names) && names.length > 0 ? shorten(names.map(String).join(", "), 300) : undefined;
}

const LOST_BY: Record<string, string> = {
  connection_lost: "Lost: the connection ended before the result came",
  bad_reply: "Lost: the server’s reply made no sense",
  too_large: "Lost: the server’s reply was larger than Intray takes",
};

function insisted(data: Data): string {
  const retry = data.retry as Data | null | undefined;
  return retry?.insist === true ? ", insisting that the call can be repeated" : "";
}

function numbered({ attempt, attempts }: Data): string {
  return typeof attempt === "number" ? ` (attempt ${attempt} of ${attempts})` : "";
}

function why(data: Data): string {
  return reason(data, REASONS);
}

/** Why a question or an answer ended, for people. */
export const REASONS: Record<string, string> = {
  replaced: "another question took its place",
  task_ended: "the task ended",
  task_cancelled: "the task was cancelled",
  task_completed: "the task completed without it",
  task_failed: "the task failed",
  task_lost: "the server no longer knows the task",
  task_expired: "the task expired",
  retracted: "it is no longer asked",
  outcome_unknown: "it is unknown whether the tool ran, and it must not run twice",
  not_asked_again: "the server lost the question and does not ask it again",
  question_lifetime: "the server gives up on questions after a while",
  question_ttl: "the server’s time for the answer ran out",
  not_started: "the task never started",
  asked_again: "the server said something else meanwhile",
  expired: "its time ran out",
};

/** How much the server got of an answer whose question is over. */
function ofAnswer(data: Data): string {
  const words = ANSWERS[text(data.answer) ?? ""];
  return words ? `; ${words}` : "";
}

const ANSWERS: Record<string, string> = {
  not_sent: "the answer was not sent",
  in_doubt: "it is unknown whether the server got the answer",
  taken: "the server had the answer",
};
const VANISHED = new Set(["cancelled", "lost", "expired"]);

/** As recorded with the answer, which had the form's titles. */
function answerWord(data: Data): string {
  return uncapitalise(text(data.words) ?? UNTOLD[text(data.action) ?? ""] ?? "answered");
}

const UNTOLD: Record<string, string> = { decline: "declined", cancel: "cancelled" };

function stateChange(data: Data): string {
  const to = text(data.to);
  return to ? serverStateLabel(to) : "State changed";
}

/** ` for Ana`, of a vote for somebody who was away. */
function forWhom({ onBehalfOf }: Data): string {
  const name = text((onBehalfOf as Data | null | undefined)?.name);
  return name ? ` for ${name}` : "";
}

/** ` (CFO)`; nothing of the one stage that every approver votes in. */
function inStage({ stage }: Data): string {
  const name = text(stage);
  return name && name.toLowerCase() !== "approvers" ? ` (${name})` : "";
}

const DROPPED: Record<string, string> = {
  question_changed: "the question is another one now",
  asked_again: "the server repeated a question that could not be answered",
  other_content: "somebody proposed another answer",
  judged_again: "the request was judged again",
};

function byRule(judged: unknown): string {
  const { rule, version } = (judged ?? {}) as Record<string, unknown>;
  return text(rule) ? `rule “${text(rule)}”, version ${String(version)}` : "any one member";
}
