import type { EventType } from "../events/schema.ts";
import type { TaskEvent } from "../tasks/schema.ts";
import { decidedWord } from "./decision.ts";
import { formatDuration } from "./duration.ts";
import { humanise, shorten } from "./labels.ts";
import { serverStateLabel, type Tone } from "./outcome.ts";

export interface EventWords {
  text: string;
  tone: Tone;
  /** Said by a person or the server, shown beneath in quotes. */
  quote?: string;
}

type Data = Record<string, unknown>;

/** One line of a timeline in plain words. Server text inside is untrusted and stays text. */
export function describeEvent(event: Pick<TaskEvent, "type" | "actor" | "data">): EventWords {
  const who = event.actor.kind === "engine" || event.actor.kind === "system" ? "Intray" : event.actor.name;
  // A line of a newer or older version may be of a type that this one does not know.
  return Object.hasOwn(WORDS, event.type)
    ? WORDS[event.type as EventType](event.data, who)
    : { text: humanise(event.type.replaceAll(".", " ")), tone: "neutral" };
}

const say = (text: string, tone: Tone = "neutral", quote?: string): EventWords => ({
  text,
  tone,
  ...(quote ? { quote } : {}),
});

const WORDS: Record<EventType, (data: Data, who: string) => EventWords> = {
  "task.queued": (_, who) => say(`${who} started it`),
  "task.starting": () => say("Calling the server"),
  "task.started": (data) =>
    data.durable === false
      ? say("The call is under way; the server made no task of it", "wait")
      : say("Task accepted by the server"),
  "task.asking": () => say("The tool asks before it begins"),
  "task.status": (data) => say(text(data.statusMessage) ?? "Status changed"),
  "task.state": (data) => say(stateChange(data)),
  "task.completed": (data) =>
    say(
      `Completed${text(data.outcome) ? ` · ${text(data.outcome)}` : ""}`,
      data.isError === true ? "bad" : "accent",
    ),
  "task.not_started": (data) => say("Not started yet, trying again", "wait", text(data.message)),
  "task.failed": (data) => say("Failed", "bad", text(data.message) ?? text(data.code)),
  "task.cancel_requested": (_, who) => say(`${who} asked to cancel`),
  "task.cancel_sent": () => say("Server told to cancel"),
  "task.cancelled": () => say("Cancelled"),
  "task.server_state": (data) => {
    const state = text(data.serverState);
    return say(state ? `Server says “${serverStateLabel(state)}”` : "Server says something else");
  },
  "task.lost": (data) =>
    say(
      data.code === "connection_lost"
        ? "Lost: the connection ended before the result came"
        : "The server no longer knows this task",
      "bad",
    ),
  "task.expired": () => say("Expired: the server's time for it ran out", "bad"),
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
  "request.opened": (data) => say("Server asked", "wait", text(data.message)),
  "request.replaced": () => say("Server asked a different question instead", "wait"),
  "request.withdrawn": (data) => say(`Question withdrawn${reason(data)}`),
  "request.expired": (data) => say(`Question expired unanswered${reason(data)}`, "bad"),
  "request.asked_again": () => say("Server put the same question again"),
  "request.reopened": () => say("Server asked again what could not be answered", "wait"),
  "request.undeliverable": (data) => say(`The answer could not be delivered${reason(data)}`, "bad"),
  "request.claimed": (_, who) => say(`${who} claimed the request`),
  "request.released": (_, who) => say(`${who} released the request`),
  "request.assigned": (data, who) =>
    say(
      text(data.name)
        ? `${who} assigned the request to ${text(data.name)}`
        : `${who} changed who is assigned`,
    ),
  "request.last_taken": () =>
    say("The server asks too much for one task: what it asks from here on is not shown", "bad"),
  "answer.recorded": (data, who) => say(`${who} ${answerWord(data)}`, "accent", text(data.comment)),
  "answer.undone": (_, who) => say(`${who} took the answer back before it was sent`),
  "delivery.sending": (data) =>
    say(Number(data.attempt) > 1 ? `Sending the answer, attempt ${data.attempt}` : "Sending the answer"),
  "delivery.accepted": () => say("Answer accepted by the server", "accent"),
  "delivery.confirmed": () => say("Task moved on", "accent"),
  "delivery.unsent": (data) => say(`Not sent yet, trying again${reason(data)}`),
  "delivery.flagged": () => say("The server took the answer but keeps asking", "wait"),
  "delivery.resend": (_, who) => say(`${who} sent the same answer again`),
  "view.shared": (data, who) => say(`${who} shared the view${named(data)}`),
  "view.unshared": (data, who) => say(`${who} no longer shares the view${named(data)}`),
  "requests.seeded": (_, who) => say(`${who} filled in requests to try out with`),
  "requests.unseeded": (_, who) => say(`${who} took the requests to try out with away`),
  "server.created": (data, who) => say(`${who} added the server${named(data)}`),
  "server.updated": (data, who) => say(`${who} changed the server${named(data)}`),
  "server.removed": (data, who) => say(`${who} removed the server${named(data)}`),
  "server.health_changed": (data) =>
    say(
      `The server${named(data)} ${HEALTH[text(data.to) ?? ""] ?? "changed its health"}`,
      data.to === "ok" ? "accent" : "bad",
    ),
  "member.added": (data, who) =>
    say(`${who} added ${text(data.name) ?? "a member"}${text(data.role) ? ` as ${text(data.role)}` : ""}`),
  "member.role_changed": (data, who) => say(`${who} changed a role${fromTo(data)}`),
  "member.removed": (_, who) => say(`${who} removed a member`),
  "member.joined": (data, who) => say(`${who} joined${text(data.role) ? ` as ${text(data.role)}` : ""}`),
  "member.left": (_, who) => say(`${who} left the organization`),
  "invitation.created": (data, who) =>
    say(`${who} invited ${text(data.email) ?? "somebody"}${text(data.role) ? ` as ${text(data.role)}` : ""}`),
  "invitation.renewed": (data, who) => say(`${who} renewed the invitation${invited(data)}`),
  "invitation.role_changed": (data, who) =>
    say(`${who} changed the role of the invitation${invited(data)}${fromTo(data)}`),
  "invitation.revoked": (data, who) => say(`${who} revoked the invitation${invited(data)}`),
  "key.created": (data, who) => say(`${who} made the API key${named(data)}`),
  "key.renamed": (data, who) => say(`${who} renamed an API key${named(data, " to")}`),
  "key.revoked": (_, who) => say(`${who} revoked an API key`),
  "organization.created": (data, who) => say(`${who} made the organization${named(data)}`),
  "organization.decline_reasons_changed": (_, who) => say(`${who} changed the reasons for declining`),
  "organization.undo_window_changed": ({ holdMs }, who) =>
    say(
      typeof holdMs === "number" && holdMs > 0
        ? `${who} set the time for undo to ${formatDuration(holdMs)}`
        : `${who} set no time for undo`,
    ),
  "organization.renamed": (data, who) => say(`${who} renamed the organization${named(data, " to")}`),
  "organization.four_eyes_changed": ({ fourEyes }, who) =>
    say(`${who} switched the rule of four eyes ${fourEyes === true ? "on" : "off"}`),
  "organization.exported": (_, who) => say(`${who} exported the whole organization`),
  "session.opened": (data, who) => say(`${who} signed in${SIGNED_IN_BY[text(data.method) ?? ""] ?? ""}`),
  "session.refused": (data, who) => say(`A sign-in as ${who} was refused${reason(data)}`, "bad"),
  "session.ended": (data, who) =>
    say(
      typeof data.count === "number" && data.count > 1
        ? `${who} ended ${data.count} sessions`
        : `${who} signed out`,
    ),
  "account.password_changed": (data, who) =>
    say(data.byLink === true ? `${who} set a password with a link` : `${who} changed their password`),
  "account.second_factor_added": (_, who) => say(`${who} turned two-step sign-in on`),
  "account.second_factor_removed": (_, who) => say(`${who} turned two-step sign-in off`, "wait"),
  "account.recovery_code_used": (data, who) =>
    say(`${who} used a recovery code${typeof data.left === "number" ? `, ${data.left} left` : ""}`, "wait"),
  "account.passkey_added": (data, who) => say(`${who} added the passkey${named(data)}`),
  "account.passkey_removed": (data, who) => say(`${who} removed the passkey${named(data)}`),
  "organization.quota_changed": (_, who) => say(`${who} changed how many tasks may be open and started`),
  "connection.authorized": (data, who) => say(`${who} connected${link(data)}`, "accent"),
  "connection.renewed": (data, who) => say(`${who} signed in again for${link(data)}`, "accent"),
  "connection.needs_reauth": (data) => say(`Somebody has to sign in again for${link(data)}`, "bad"),
  "connection.needs_scope": (data) =>
    say(
      `A call needs more rights than${link(data)} has`,
      "wait",
      text(data.scope) && `Needed: ${text(data.scope)}`,
    ),
  "connection.disconnected": (data, who) => say(`${who} disconnected${link(data)}`),
  "connection.revoked": (data, who) => say(`${who} took away${link(data)}`),
  "protocol.read": (_, who) => say(`${who} read the protocol messages`),
  "events.exported": (_, who) => say(`${who} exported the history`),
  "events.verified": ({ brokenAt }, who) =>
    say(
      typeof brokenAt === "number"
        ? `${who} found that the history does not hold at line ${brokenAt}`
        : `${who} found that the history does not hold`,
      "bad",
    ),
};

const SIGNED_IN_BY: Record<string, string> = {
  password: " with a password",
  passkey: " with a passkey",
  oidc: " by single sign-on",
};

function invited(data: Data): string {
  return text(data.email) ? ` of ${text(data.email)}` : "";
}

/** ` the shared connection to “ERP”`. */
function link(data: Data): string {
  return ` ${data.shared === true ? "the shared connection" : "a connection of their own"} to${named(data)}`;
}

const HEALTH: Record<string, string> = {
  ok: "is well again",
  unreachable: "can't be reached",
  unauthorized: "needs a sign-in",
  failing: "is failing",
};

/** ` “ERP”`, or nothing where the line has no name. */
function named(data: Data, before = ""): string {
  const name = text(data.name);
  return name ? `${before} “${name}”` : "";
}

function fromTo({ from, to }: Data): string {
  return text(from) && text(to) ? ` from ${text(from)} to ${text(to)}` : "";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? shorten(value, 400) : undefined;
}

function reason(data: Data): string {
  const given = text(data.reason);
  if (!given) return "";
  // A code becomes words; a sentence stays as it was written.
  const words = /^[a-z_]+$/.test(given) ? humanise(given).toLowerCase() : given;
  return `: ${REASONS[given] ?? words}`;
}

/** Why a question or an answer ended, for people. */
export const REASONS: Record<string, string> = {
  replaced: "the server asked something else instead",
  task_ended: "the task ended",
  task_cancelled: "the task was cancelled",
  task_completed: "the task completed without it",
  task_failed: "the task failed",
  task_lost: "the server no longer knows the task",
  task_expired: "the task expired",
  retracted: "the server took it back",
  not_asked_again: "the server did not put the question again",
  question_lifetime: "the server gives up on questions after a while",
  not_started: "the task never started",
  wrong_code: "the code was wrong",
  email_unverified: "the provider had not verified the e-mail address",
  domain_not_allowed: "the address is of a domain that may not come in",
  no_organization: "no organization has them as a member",
};

function answerWord(data: Data): string {
  const content = data.content as Data | null | undefined;
  return decidedWord(text(data.action) ?? "accept", content).toLowerCase();
}

function stateChange(data: Data): string {
  const to = text(data.to);
  return to ? serverStateLabel(to) : "State changed";
}
