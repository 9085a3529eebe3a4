import type { EventType } from "../../history/events/event-schema.ts";
import { type Data, named, reason, say, text, type Words } from "../../history/events/event-words.ts";
import { samlFault } from "../../people/saml/saml-words.ts";
import { namedInQuotes } from "../../text/foreign/quoted.ts";
import { plural } from "../../text/labels.ts";

/** The words of events about people, their accounts and sign-ins, and about programs with credentials. */
export const PEOPLE_WORDS = {
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
} satisfies Partial<Record<EventType, Words>>;

/** `: 2 people added, 1 person removed`. */
function membersMoved({ added, removed }: Data): string {
  const parts = [
    typeof added === "number" && added > 0 ? `${plural(added, "person", "people")} added` : null,
    typeof removed === "number" && removed > 0 ? `${plural(removed, "person", "people")} removed` : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? `: ${parts.join(", ")}` : "";
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
