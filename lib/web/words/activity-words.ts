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
import { samlFault } from "../../people/saml/saml-words.ts";
import { calendarChanges } from "../../policy/calendar/calendar-words.ts";
import { callRuleChanges, policyChanges } from "../../policy/call-rules/call-rule-words.ts";
import { groupChanges, groupChangeTitle } from "../../policy/groups/group-words.ts";
import { TASK_WORDS } from "../../tasks/words/task-events.ts";
import { formatDuration } from "../../text/duration.ts";
import { namedInQuotes } from "../../text/foreign/quoted.ts";
import { plural } from "../../text/labels.ts";

/** One line of an organization's history in plain words. Server text inside is untrusted and stays text. */
export function describeEvent(line: Line): EventWords {
  return inWords({ ...TASK_WORDS, ...WORDS }, line);
}

const bulk = (data: Data) => BULK[text(data.action) ?? ""] ?? "work on";
const BULK: Record<string, string> = { cancel: "cancel", refresh: "check", restart: "start again" };
const BULK_DONE: Record<string, string> = {
  cancel: "cancelled",
  refresh: "checked",
  restart: "started again",
};
const tasks = (count: unknown) => plural(typeof count === "number" ? count : 0, "task");

const WORDS: Record<Exclude<EventType, keyof typeof TASK_WORDS>, Words> = {
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
  "member.added": (data, who) =>
    say(`${who} added ${member(data)}${text(data.role) ? ` as ${text(data.role)}` : ""}`),
  "member.view_begun": (data, who) => say(`${who} started viewing as ${member(data)}, read only`, "wait"),
  "member.view_ended": (data, who) => say(`${who} stopped viewing as ${member(data)}`),
  "member.role_changed": (data, who) => say(`${who} changed the role of ${member(data)}${fromTo(data)}`),
  "member.removed": (data, who) =>
    say(`${who} removed ${member(data)}${text(data.role) ? `, ${text(data.role)}` : ""}`),
  "member.suspended": (data, who) =>
    say(`${who} suspended ${member(data)}${text(data.role) ? `, ${text(data.role)}` : ""}`, "wait"),
  "member.reinstated": (data, who) =>
    say(`${who} reinstated ${member(data)}${text(data.role) ? ` as ${text(data.role)}` : ""}`),
  "member.joined": (data, who) => say(`${who} joined${text(data.role) ? ` as ${text(data.role)}` : ""}`),
  "member.vouched": (data, who) => say(`${who} vouched for ${member(data)}`),
  "member.vouch_withdrawn": (data, who) => say(`${who} stopped vouching for ${member(data)}`, "wait"),
  "member.sessions_ended": (data, who) =>
    say(
      `${who} ended ${Number(data.count) === 1 ? "a session" : "the sessions"} of ${member(data)} here`,
      "wait",
    ),
  "member.password_link_made": (data, who) =>
    say(`${who} made a link to set the password of ${member(data)}`, "wait"),
  "member.left": (_, who) => say(`${who} left the organization`),
  "away.set": (data, who) =>
    say(
      who === text(data.name)
        ? `${who} set an absence: ${standIn(data)} stands in`
        : `${who} set an absence of ${member(data)}: ${standIn(data)} stands in`,
      "wait",
      text(data.reason),
    ),
  "away.ended": (data, who) =>
    say(who === text(data.name) ? `${who} is back` : `${who} ended the absence of ${member(data)}`),
  "invitation.created": (data, who) =>
    say(`${who} invited ${text(data.email) ?? "somebody"}${text(data.role) ? ` as ${text(data.role)}` : ""}`),
  "invitation.renewed": (data, who) => say(`${who} renewed the invitation${invited(data)}`),
  "invitation.role_changed": (data, who) =>
    say(`${who} changed the role of the invitation${invited(data)}${fromTo(data)}`),
  "invitation.revoked": (data, who) => say(`${who} revoked the invitation${invited(data)}`),
  "key.created": (data, who) => say(`${who} created the API key${named(data)}`),
  "key.renamed": (data, who) =>
    say(
      text(data.from)
        ? `${who} renamed the API key “${text(data.from)}”${named(data, " to")}`
        : `${who} renamed an API key${named(data, " to")}`,
    ),
  "key.revoked": (data, who) =>
    say(text(data.name) ? `${who} revoked the API key${named(data)}` : `${who} revoked an API key`),
  "key.rotated": (data, who) => say(`${who} rotated the API key${named(data)}`),
  "key.secret_ended": (data, who) => say(`${who} ended the previous secret of the API key${named(data)}`),
  "key.networks_changed": (data, who) => say(`${who} changed the networks of the API key${named(data)}`),
  "key.refused": (data) =>
    say(
      `The API key${named(data)} was refused${text(data.network) ? ` from ${text(data.network)}` : ""}`,
      "bad",
    ),
  "agent.created": (data, who) =>
    say(
      text(data.oauthClientId)
        ? `${who} signed the agent${named(data)} in`
        : `${who} made the agent${named(data)}`,
      "neutral",
      grantsOf(data),
    ),
  "agent.changed": (data, who) =>
    say(
      text(data.from)
        ? `${who} renamed the agent “${text(data.from)}”${named(data, " to")}`
        : `${who} changed the agent${named(data)}`,
      "neutral",
      grantsOf(data),
    ),
  "agent.rotated": (data, who) => say(`${who} gave the agent${named(data)} a new secret`),
  "agent.signed_in": (data, who) =>
    say(`${who} allowed the agent${named(data)} to act in their name`, "neutral", clientOf(data)),
  "agent.turned_away": (data, who) => say(`${who} denied the agent${named(data)}`, "neutral", clientOf(data)),
  "agent.signed_out": (data, who) =>
    data.why === "used_twice"
      ? say(
          `The agent${named(data)} of ${who} was signed out`,
          "bad",
          "One of its tokens was used twice. Somebody else may have copied the token.",
        )
      : say(`The agent${named(data)} of ${who} signed out`),
  "agent.call_allowed": (data, who) => say(`${who} was allowed${itsCall(data)}${byRule(data)}`),
  "agent.call_denied": (data, who) => say(`${who} was denied${itsCall(data)}${byRule(data)}`),
  "agent.subscribed": (data, who) => say(`${who} subscribed to${itsEvent(data)}`),
  "agent.subscription_ended": (data, who) => say(`${who} ended a subscription to${itsEvent(data)}`),
  "agent.hook_tried": (data, who) =>
    say(
      `${who} tried the hook of the agent${named(data)}${text(data.program) ? ` as ${text(data.program)}` : ""}`,
    ),
  "agent.revoked": (data, who) => say(`${who} revoked the agent${named(data)}`),
  "service_account.created": (data, who) => say(`${who} made the service account${named(data)}`),
  "service_account.changed": (data, who) =>
    say(
      `${who} changed the service account${named(data)}${text(data.roleFrom) ? `: ${text(data.roleFrom)} is now ${text(data.role)}` : ""}`,
    ),
  "service_account.owner_changed": (data, who) =>
    say(`${who} gave the service account${named(data)} to ${text(data.owner) ?? "another owner"}`),
  "service_account.rested": (data, who) => say(`${who} suspended the service account${named(data)}`, "wait"),
  "service_account.resumed": (data, who) => say(`${who} resumed the service account${named(data)}`),
  "service_account.deleted": (data, who) => say(`${who} deleted the service account${named(data)}`),
  "service_account.owner_missing": (data) =>
    say(`The service account${named(data)} is suspended: it has no owner`, "bad"),
  "service_account.owner_back": (data) => say(`The service account${named(data)} has an owner again`),
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
  "session.opened": (data, who) => say(`${who} signed in${SIGNED_IN_BY[text(data.method) ?? ""] ?? ""}`),
  "session.refused": (data, who) => say(`A sign-in as ${who} was refused${reason(data, REFUSALS)}`, "bad"),
  "session.ended": (data, who) =>
    text(data.provider)
      ? say(
          `${text(data.provider)} signed ${who} out`,
          "wait",
          data.keysRest === true ? "API keys are suspended until the next sign-in there" : undefined,
        )
      : say(
          typeof data.count === "number" && data.count > 1
            ? `${who} ended ${data.count} sessions`
            : `${who} signed out`,
        ),
  "account.password_changed": (data, who) =>
    say(data.byLink === true ? `${who} set a password with a link` : `${who} changed their password`),
  "account.second_factor_added": (_, who) => say(`${who} turned two-step sign-in on`),
  "account.second_factor_removed": (data, who) =>
    say(
      data.byOperator === true
        ? `The operator turned two-step sign-in of ${who} off`
        : `${who} turned two-step sign-in off`,
      "wait",
    ),
  "account.recovery_code_used": (data, who) =>
    say(`${who} used a recovery code${typeof data.left === "number" ? `, ${data.left} left` : ""}`, "wait"),
  "account.passkey_added": (data, who) => say(`${who} added the passkey${named(data)}`),
  "account.passkey_removed": (data, who) => say(`${who} removed the passkey${named(data)}`),
  "account.replaced": (data) =>
    say(
      `The account of ${text(data.name) ?? text(data.email) ?? "a member"} was given to ${REPLACED_BY[text(data.by) ?? ""] ?? "another person with the address"}`,
      "wait",
    ),
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
  "saml_provider.created": (data, who) => say(`${who} added the SAML provider${named(data)}`),
  "saml_provider.updated": (data, who) => say(`${who} changed the SAML provider${named(data)}`),
  "saml_provider.confirmed": (data, who) => say(`${who} confirmed the SAML provider${named(data)}`),
  "saml_provider.sign_in_refused": (data) =>
    say(
      `A sign-in through the SAML provider${named(data)} was refused`,
      "bad",
      samlFault(text(data.reason) ?? ""),
    ),
  "saml_provider.removed": (data, who) => say(`${who} removed the SAML provider${named(data)}`),
  "directory.token_made": (_, who) => say(`${who} made the directory’s token`, "wait"),
  "directory.token_rotated": (_, who) => say(`${who} changed the secret of the directory’s token`),
  "directory.token_revoked": (_, who) => say(`${who} revoked the directory’s token`),
  "directory.updated": (data, who) =>
    say(
      `${who} set up the directory${text(data.defaultRole) ? `: people start as ${text(data.defaultRole)}` : ""}${data.managesOwners === true ? ", and it manages owners" : ""}`,
    ),
  "directory.group_mapped": (data, who) =>
    say(
      text(data.to)
        ? `${who} gave the group${named(data)} the role ${text(data.to)}`
        : `${who} removed the role of the group${named(data)}`,
    ),
  "directory.group_created": (data, who) => say(`${who} added the group${named(data)}`),
  "directory.group_changed": (data, who) =>
    say(`${who} changed the group${named(data)}${membersMoved(data)}`),
  "directory.group_removed": (data, who) => say(`${who} removed the group${named(data)}`),
  "audit_stream.created": (data, who) => say(`${who} added an audit stream${toHost(data)}`),
  "audit_stream.updated": (data, who) => say(`${who} changed the audit stream${toHost(data)}`),
  "audit_stream.paused": (data, who) => say(`${who} paused the audit stream${toHost(data)}`),
  "audit_stream.resumed": (data, who) => say(`${who} resumed the audit stream${toHost(data)}`),
  "audit_stream.removed": (data, who) => say(`${who} removed the audit stream${toHost(data)}`),
  "audit_stream.failing": (data) =>
    say(`The audit stream${toHost(data)} has been failing for an hour`, "bad"),
  "audit_stream.recovered": (data) => say(`The audit stream${toHost(data)} works again`, "good"),
};

/** `: 2 people added, 1 person removed`. */
function membersMoved({ added, removed }: Data): string {
  const parts = [
    typeof added === "number" && added > 0 ? `${plural(added, "person", "people")} added` : null,
    typeof removed === "number" && removed > 0 ? `${plural(removed, "person", "people")} removed` : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? `: ${parts.join(", ")}` : "";
}

/** Why Intray switched a webhook off by itself. */
const SWITCHED_OFF: Record<string, string> = {
  gone: "its receiver is gone",
  failing: "no call was delivered for three days",
};

/** ` to hooks.example.com`: the rest of an address may be a secret. */
function toHost(data: Data): string {
  return text(data.host) ? ` to ${text(data.host)}` : "";
}

/** Who has proved the address. */
const REPLACED_BY: Record<string, string> = {
  invitation: "the person who opened a mailed invitation",
  operator: "the person whom the operator named",
  mail: "the person who reads the mail of the address",
  provider: "the person whom single sign-on confirmed",
};

const SIGNED_IN_BY: Record<string, string> = {
  password: " with a password",
  passkey: " with a passkey",
  oidc: " by single sign-on",
  saml: " by single sign-on",
};

function keptFor(days: unknown): string {
  return typeof days === "number" ? `for ${plural(days, "day")}` : "forever";
}

/** Lines of older versions say nobody's name. */
function member(data: Data): string {
  return text(data.name) ?? "a member";
}

function standIn({ delegate }: Data): string {
  return text((delegate as Data | null | undefined)?.name) ?? "somebody";
}

function invited(data: Data): string {
  return text(data.email) ? ` of ${text(data.email)}` : "";
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

/** The call that a hook asked about. */
function itsCall({ tool, program }: Data): string {
  const called = text(tool);
  if (!called) return " a call of a tool";
  return ` the call of ${namedInQuotes(called)}${text(program) ? ` in ${text(program)}` : ""}`;
}

/** The event that an agent subscribed to, and where it is sent. */
function itsEvent({ event, host }: Data): string {
  return ` the event ${text(event) ?? ""}${text(host) ? `, sent to ${text(host)}` : ""}`;
}

function byRule({ rule }: Data): string {
  if (rule === null) return " by its grant";
  return text(rule) ? ` by the rule “${text(rule)}”` : " by a rule";
}

/** “Published by claude.ai. The sign-in returned to …”. Nothing else that a client reports is proved. */
function clientOf({ publisher, redirect }: Data): string | undefined {
  if (!text(redirect)) return undefined;
  const where = redirect === "computer" ? "the member’s computer" : text(redirect);
  return `${text(publisher) ? `Published by ${text(publisher)}` : "The client registered itself"}. The sign-in returned to ${where}.`;
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

/** “It may call: all tools of Finance; pay of Bank”. */
function grantsOf({ grants }: Data): string | undefined {
  if (!Array.isArray(grants)) return undefined;
  if (grants.length === 0) return "It may call no tools.";
  const told = grants.slice(0, TOLD_GRANTS).map(({ tool, server, before }: Data) => {
    const first = before === "ask" ? " (requires approval)" : before === "deny" ? " (denied)" : "";
    return `${text(tool) ?? "all tools"} of ${text(server) ?? "a server"}${first}`;
  });
  const more = grants.length - told.length;
  return `It may call: ${told.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
const TOLD_GRANTS = 10;

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

function fromTo({ from, to }: Data): string {
  return text(from) && text(to) ? ` from ${text(from)} to ${text(to)}` : "";
}

/** Why a sign-in was refused, for people. */
const REFUSALS: Record<string, string> = {
  wrong_code: "the code was wrong",
  email_unverified: "the provider had not verified the e-mail address",
  domain_not_allowed: "the domain of the address is not allowed",
  no_organization: "they are not a member of any organization",
};
