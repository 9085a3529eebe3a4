import type { EventType } from "../../history/events/event-schema.ts";
import {
  type Data,
  type EventWords,
  inWords,
  type Line,
  named,
  reason,
  say,
  text,
  type Words,
} from "../../history/events/event-words.ts";
import { calendarChanges } from "../../policy/calendar/calendar-words.ts";
import { callRuleChanges, policyChanges } from "../../policy/call-rules/call-rule-words.ts";
import { groupChanges, groupChangeTitle } from "../../policy/groups/group-words.ts";
import { TASK_WORDS } from "../../tasks/words/task-events.ts";
import { formatDuration } from "../../text/duration.ts";
import { plural } from "../../text/labels.ts";
import { PEOPLE_WORDS } from "./people-words.ts";

/** One line of an organization's history in plain words. Server text inside is untrusted and stays text. */
export function describeEvent(line: Line): EventWords {
  return inWords({ ...TASK_WORDS, ...PEOPLE_WORDS, ...WORDS }, line);
}

const bulk = (data: Data) => BULK[text(data.action) ?? ""] ?? "work on";
const BULK: Record<string, string> = { cancel: "cancel", refresh: "check", restart: "start again" };
const BULK_DONE: Record<string, string> = {
  cancel: "cancelled",
  refresh: "checked",
  restart: "started again",
};
const tasks = (count: unknown) => plural(typeof count === "number" ? count : 0, "task");

const WORDS: Record<Exclude<EventType, keyof typeof TASK_WORDS | keyof typeof PEOPLE_WORDS>, Words> = {
  "view.shared": (data, who) => say(`${who} shared the view${named(data)}`),
  "view.unshared": (data, who) => say(`${who} stopped sharing the view${named(data)}`),
  "task.acknowledged": (data, who) =>
    say(
      text(data.from) ? `${who} took ownership from ${text(data.from)}` : `${who} took ownership`,
      "accent",
      text(data.note),
    ),
  "task.released": (data, who) =>
    say(data.reason === "not_stuck" ? "No longer stuck" : `${who} released ownership`),
  "race.started": (data, who) =>
    say(`${who} started a race${typeof data.starts === "number" ? ` on ${data.starts} servers` : ""}`),
  "requests.seeded": (_, who) => say(`${who} added sample requests`),
  "requests.unseeded": (_, who) => say(`${who} removed the sample requests`),
  "server.created": (data, who) => say(`${who} added the server${named(data)}`),
  "server.updated": (data, who) => say(`${who} changed the server${named(data)}`),
  "server.removed": (data, who) => say(`${who} removed the server${named(data)}`),
  "server.health_changed": (data) =>
    say(
      `The server${named(data)} ${HEALTH[text(data.to) ?? ""] ?? "changed its health"}`,
      data.to === "ok" ? "accent" : "bad",
    ),
  "server.paused": (data, who) => say(`${who} paused the server${named(data)}`, "wait", text(data.reason)),
  "server.hosts_allowed": (data, who) =>
    say(
      `${who} allowed several hosts for the sign-in to${named(data)}`,
      "wait",
      Array.isArray(data.hosts)
        ? data.hosts.filter((host) => typeof host === "string").join(", ")
        : undefined,
    ),
  "host.allowed": (data, who) =>
    say(`${who} allowed Intray to call ${text(data.host) ?? "an address"}`, "wait"),
  "host.removed": (data, who) =>
    say(`${who} stopped allowing Intray to call ${text(data.host) ?? "an address"}`),
  "server.resumed": (data, who) => say(`${who} resumed the server${named(data)}`, "accent"),
  "recipe.created": (data, who) => say(`${who} made the recipe${ofRecipe(data)}`),
  "recipe.changed": (data, who) => say(`${who} changed the recipe${ofRecipe(data)}`),
  "recipe.removed": (data, who) => say(`${who} removed the recipe${ofRecipe(data)}`),
  "server.tools_changed": (data) =>
    say(`The server${named(data)} changed its tools`, "wait", toolChanges(data)),
  "organization.created": (data, who) => say(`${who} made the organization${named(data)}`),
  "organization.decline_reasons_changed": (_, who) => say(`${who} changed the reasons for declining`),
  "organization.undo_window_changed": ({ holdMs }, who) =>
    say(
      typeof holdMs === "number" && holdMs > 0
        ? `${who} set the time for undo to ${formatDuration(holdMs)}`
        : `${who} turned undo off`,
    ),
  "call_rules.changed": (data, who) => say(`${who} changed the call rules`, "wait", callRuleChanges(data)),
  "policy.changed": ({ proposedBy, ...data }, who) =>
    say(
      text(proposedBy)
        ? `${who} approved the change of the policy that ${text(proposedBy)} proposed`
        : `${who} changed the policy`,
      "wait",
      policyChanges(data),
    ),
  "policy.proposed": ({ twoPersonPolicy, ...data }, who) =>
    twoPersonPolicy === false
      ? say(`${who} proposed to stop requiring a second admin for changes of the policy`, "wait")
      : isGroup(data.group)
        ? say(`${who} proposed to ${groupChangeTitle(data.group)}`, "wait", groupChanges(data.group))
        : say(`${who} proposed a change of the policy`, "wait", policyChanges(data)),
  "policy.proposal_ended": (data, ...who) => say(proposalEnded(data, ...who)),
  "policy.two_person_changed": ({ twoPersonPolicy, proposedBy }, who) =>
    say(
      twoPersonPolicy === true
        ? `${who} required a second admin for changes of the policy`
        : `${who} agreed to stop requiring a second admin for changes of the policy`,
      "wait",
      text(proposedBy) && `Proposed by ${text(proposedBy)}`,
    ),
  "policy.automatic_stopped": ({ takenBack }, who) =>
    say(
      typeof takenBack === "number" && takenBack > 0
        ? `${who} stopped all automatic answers, and took back ${plural(takenBack, "answer")} before ${takenBack === 1 ? "it was" : "they were"} sent`
        : `${who} stopped all automatic answers`,
      "wait",
    ),
  "policy.automatic_resumed": (_, who) => say(`${who} resumed automatic answers`, "wait"),
  "group.created": (data, who) => groupChanged(data, who, "made"),
  "group.changed": (data, who) => groupChanged(data, who, "changed"),
  "group.deleted": (data, who) => groupChanged(data, who, "deleted"),
  "calendar.changed": (data, who) =>
    say(
      data.to === null ? `${who} removed the working calendar` : `${who} changed the working calendar`,
      "wait",
      calendarChanges(data),
    ),
  "organization.retention_changed": ({ messageDays, payloadDays, taskDays }, who) =>
    say(
      `${who} set what is kept: protocol messages ${keptFor(messageDays)}, details of the history ${keptFor(payloadDays)}, finished tasks ${keptFor(taskDays)}`,
    ),
  "organization.renamed": (data, who) => say(`${who} renamed the organization${named(data, " to")}`),
  "organization.four_eyes_changed": ({ fourEyes, proposedBy }, who) =>
    say(
      `${who} ${fourEyes === true ? "required" : "stopped requiring"} a second person for approvals`,
      undefined,
      text(proposedBy) && `Proposed by ${text(proposedBy)}`,
    ),
  "organization.four_eyes_end_proposed": (_, who) =>
    say(`${who} proposed to stop requiring a second person for approvals`, "wait"),
  "organization.four_eyes_end_withdrawn": (_, who) =>
    say(`${who} withdrew the proposal to stop requiring a second person for approvals`),
  "organization.keys_without_end_changed": ({ keysWithoutEnd }, who) =>
    say(`${who} ${keysWithoutEnd === true ? "allowed" : "forbade"} API keys that never end`),
  "organization.push_text_changed": ({ pushText }, who) =>
    say(`${who} ${pushText === true ? "allowed" : "forbade"} the text of questions in push notifications`),
  "slack.set_up": ({ team }, who) => say(`${who} set up Slack${named({ name: team }, " for the workspace")}`),
  "slack.updated": ({ showsText }, who) =>
    say(`${who} ${showsText === true ? "allowed" : "forbade"} the text of questions in Slack`),
  "slack.removed": ({ team }, who) =>
    say(`${who} removed Slack${named({ name: team }, ", of the workspace")}`),
  "slack.revoked": ({ team, because }) =>
    say(
      `Slack no longer accepts the token${named({ name: team }, " for the workspace")}`,
      "bad",
      text(because) && `Slack says: ${text(because)}`,
    ),
  "slack.account_linked": (data, who) => say(`${who} linked their Slack account${named(data, "")}`),
  "slack.account_unlinked": (_, who) => say(`${who} unlinked their Slack account`),
  "teams.set_up": ({ tenant }, who) =>
    say(`${who} set up Teams${named({ name: tenant }, " for the tenant")}`),
  "teams.updated": ({ showsText }, who) =>
    say(`${who} ${showsText === true ? "allowed" : "forbade"} the text of questions in Teams`),
  "teams.removed": ({ tenant }, who) =>
    say(`${who} removed Teams${named({ name: tenant }, ", of the tenant")}`),
  "teams.revoked": ({ tenant, because }) =>
    say(
      `Microsoft no longer accepts the secret${named({ name: tenant }, " for the tenant")}`,
      "bad",
      text(because) && `Microsoft says: ${text(because)}`,
    ),
  "teams.account_linked": (data, who) => say(`${who} linked their Teams account${named(data, "")}`),
  "teams.account_unlinked": (_, who) => say(`${who} unlinked their Teams account`),
  "organization.sign_in_changed": ({ providers, secondFactorFrom }, who) =>
    say(
      Array.isArray(providers) && providers.length > 0
        ? `${who} required single sign-on`
        : `${who} changed how people sign in`,
      "wait",
      [
        Array.isArray(providers) && providers.length > 0 && `Through ${providers.join(" or ")}`,
        text(secondFactorFrom) && `Second factor from ${text(secondFactorFrom)} on`,
      ]
        .filter(Boolean)
        .join(" · ") || undefined,
    ),
  "organization.domain_added": (data, who) => say(`${who} added the domain ${text(data.domain) ?? ""}`),
  "organization.domain_verified": (data, who) => say(`${who} verified the domain ${text(data.domain) ?? ""}`),
  "organization.domain_removed": (data, who) =>
    say(`${who} removed the domain ${text(data.domain) ?? ""}`, "wait"),
  "organization.networks_changed": ({ networks }, who) =>
    say(
      Array.isArray(networks) && networks.length > 0
        ? `${who} changed the networks of the organization`
        : `${who} allowed access to the organization from every network`,
      "wait",
      Array.isArray(networks) ? networks.join(", ") : undefined,
    ),
  "organization.address_refused": (data, who) =>
    say(`${who} was refused from ${text(data.network) ?? "an unknown network"}`, "bad"),
  "bulk.begun": (data, who) => say(`${who} asked to ${bulk(data)} ${tasks(data.items)}`),
  "bulk.ended": ({ done, refused, ...data }, _, who) =>
    say(
      `Bulk operation by ${who} ended: ${BULK_DONE[text(data.action) ?? ""] ?? "worked on"} ${tasks(done)}${refused ? `, refused ${refused}` : ""}`,
    ),
  "bulk.stopped": ({ skipped, ...data }, who) =>
    say(
      `${who} stopped a bulk operation: ${tasks(skipped)} not ${BULK_DONE[text(data.action) ?? ""] ?? "worked on"}`,
    ),
  "organization.export_begun": (_, who) => say(`${who} began to export the whole organization`),
  "organization.export_broken_off": ({ lines }, _, who) =>
    say(
      `An export of the whole organization by ${who} broke off${typeof lines === "number" ? ` after ${plural(lines, "line")}` : ""}`,
      "wait",
    ),
  "organization.deletion_requested": (_, who) =>
    say(`${who} asked to delete the organization in 72 hours`, "bad"),
  "organization.deletion_withdrawn": (_, who) => say(`${who} cancelled the deletion of the organization`),
  "organization.hold_set": (data, who) => say(`${who} set a legal hold`, "wait", text(data.reason)),
  "organization.hold_lifted": (_, who) => say(`${who} lifted the legal hold`, "wait"),
  "organization.content_sealed": (_, who) => say(`${who} turned the encryption of task content on`, "wait"),
  "organization.content_opened": (_, who) => say(`${who} turned the encryption of task content off`, "wait"),
  "organization.exported": (_, who) => say(`${who} exported the whole organization`),
  "organization.quota_changed": (_, who) => say(`${who} changed the limits for open tasks and task starts`),
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
  "connection.revoked": (data, who) => say(`${who} revoked${link(data)}`),
  "protocol.read": (_, who) => say(`${who} read the protocol messages`),
  "document.read": (data, who) => say(`${who} opened the document${named(data)}`),
  "tasks.exported": (data, who) =>
    say(`${who} exported a list of ${tasks(Array.isArray(data.taskIds) ? data.taskIds.length : 0)}`),
  "events.exported": (_, who) => say(`${who} exported the history`),
  "events.verified": ({ brokenAt }, who) =>
    say(
      typeof brokenAt === "number"
        ? `A check by ${who} found that the history is broken at line ${brokenAt}`
        : `A check by ${who} found that the history is broken`,
      "bad",
    ),
  "webhook.created": (data, who) => say(`${who} added a webhook${toHost(data)}`),
  "webhook.updated": (data, who) => say(`${who} changed the webhook${toHost(data)}`),
  "webhook.removed": (data, who) => say(`${who} removed the webhook${toHost(data)}`),
  "webhook.enabled": (data, who) => say(`${who} switched the webhook${toHost(data)} on`),
  "webhook.disabled": (data, who) =>
    data.reason === "by_hand"
      ? say(`${who} switched the webhook${toHost(data)} off`)
      : say(`${who} switched the webhook${toHost(data)} off${reason(data, SWITCHED_OFF)}`, "bad"),
  "webhook.secret_rotated": (data, who) => say(`${who} changed the secret of the webhook${toHost(data)}`),
  "audit_stream.created": (data, who) => say(`${who} added an audit stream${toHost(data)}`),
  "audit_stream.updated": (data, who) => say(`${who} changed the audit stream${toHost(data)}`),
  "audit_stream.paused": (data, who) => say(`${who} paused the audit stream${toHost(data)}`),
  "audit_stream.resumed": (data, who) => say(`${who} resumed the audit stream${toHost(data)}`),
  "audit_stream.removed": (data, who) => say(`${who} removed the audit stream${toHost(data)}`),
  "audit_stream.failing": (data) =>
    say(`The audit stream${toHost(data)} has been failing for an hour`, "bad"),
  "audit_stream.recovered": (data) => say(`The audit stream${toHost(data)} works again`, "good"),
};

/** Why Intray switched a webhook off by itself. */
const SWITCHED_OFF: Record<string, string> = {
  gone: "its receiver is gone",
  failing: "no call was delivered for three days",
};

/** ` to hooks.example.com`: the rest of an address may be a secret. */
function toHost(data: Data): string {
  return text(data.host) ? ` to ${text(data.host)}` : "";
}

function keptFor(days: unknown): string {
  return typeof days === "number" ? `for ${plural(days, "day")}` : "forever";
}

/** ` the shared connection to “ERP”`. */
function link(data: Data): string {
  return ` ${data.shared === true ? "the shared connection" : "a connection of their own"} to${named(data)}`;
}

/** “pay changed; refund is new; void is gone”. */
function toolChanges({ changed, added, removed }: Data): string | undefined {
  const parts = [
    [changed, "changed"],
    [added, "new"],
    [removed, "gone"],
  ].flatMap(([names, what]) =>
    Array.isArray(names) && names.length > 0 ? [`${what}: ${names.filter(isText).join(", ")}`] : [],
  );
  return parts.length > 0 ? parts.join("; ") : undefined;
}

const isGroup = (value: unknown): value is Data => typeof value === "object" && value !== null;

function groupChanged({ proposedBy, ...data }: Data, who: string, did: string): EventWords {
  const by = text(proposedBy) && `Proposed by ${text(proposedBy)}`;
  const details = [groupChanges(data), by].filter(Boolean).join("\n");
  return say(`${who} ${did} the group${named(data)}`, "wait", details || undefined);
}

function proposalEnded({ as, proposedBy, group }: Data, who: string, amid: string): string {
  if (isGroup(group)) {
    const change = `change of the group${named(group)} that ${text(proposedBy) ?? "somebody"} proposed`;
    if (as === "replaced") return `${who} proposed something else for the group${named(group)} instead`;
    return as === "overtaken"
      ? `The ${change} was replaced by another proposal`
      : `${who} withdrew the ${change}`;
  }
  if (as === "replaced") return `${who} proposed something else for the policy instead`;
  if (as === "overtaken")
    return `The change of the policy that ${text(proposedBy) ?? "somebody"} proposed was replaced by another proposal`;
  return text(proposedBy) === amid
    ? `${who} withdrew the proposed change of the policy`
    : `${who} withdrew the change of the policy that ${text(proposedBy) ?? "somebody"} proposed`;
}

const isText = (value: unknown) => typeof value === "string";

const HEALTH: Record<string, string> = {
  ok: "recovered",
  unreachable: "can’t be reached",
  unauthorized: "needs a sign-in",
  failing: "is failing",
};

function ofRecipe({ recipe, version, ...server }: Data): string {
  const which = typeof version === "number" ? ` (version ${version})` : "";
  return `${named({ name: recipe })}${which} of the server${named(server)}`;
}
