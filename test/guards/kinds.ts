/**
 * The kinds of things that ids in calls name. A route with an id of a new kind needs an entry here, and a
 * maker in things.ts: the tests of every route fail until it has both.
 */
import type { Place } from "./from-schema.ts";

/** By the word in a path, or the name of a field without `Id`. */
const KINDS = {
  "agent-credentials": "agent",
  "aap requests": "aapRequest",
  agent: "agent",
  "api-keys": "key",
  "audit-streams": "auditStream",
  "bulk-operations": "bulkOperation",
  comment: "comment",
  connections: "connection",
  devices: "device",
  test: "deviceTest",
  domains: "domain",
  groups: "group",
  "directory groups": "directoryGroup",
  add: "member",
  remove: "member",
  "found-tasks": "foundTask",
  found: "foundTask",
  foundTask: "foundTask",
  "input-requests": "request",
  inputRequest: "request",
  invitations: "invitation",
  member: "member",
  mentions: "answerer",
  members: "member",
  organization: "organization",
  passkeys: "passkey",
  proposals: "policyProposal",
  races: "race",
  requests: "humanRequest",
  requester: "member",
  "saml-links": "samlProvider",
  "saml-providers": "samlProvider",
  samlProvider: "samlProvider",
  owner: "member",
  delegateUser: "answerer",
  server: "server",
  "service-accounts": "serviceAccount",
  serviceAccount: "serviceAccount",
  servers: "server",
  session: "session",
  sessions: "session",
  subscription: "subscription",
  slack: "organization",
  teams: "organization",
  "standing-approvals": "standingApproval",
  task: "task",
  tasks: "task",
  views: "view",
  notices: "notice",
  webhooks: "webhook",
  "webhook-deliveries": "webhookDelivery",
} as const;
export type Kind = (typeof KINDS)[keyof typeof KINDS];

/**
 * Returns the kind of an id, or null if unknown. `path.id` goes by the word before it, `body.ids.0` by the
 * path's noun, `body.serverId` by its own name.
 */
export function kindOf(path: string, place: Place): Kind | null {
  const [where = "", ...parts] = place.split(".").filter((part) => !/^\d+$/.test(part));
  const field = parts.at(-1) ?? "";
  const words = path.split("/");
  const noun = where === "path" ? words[words.indexOf(`{${field}}`) - 1] : words[3];
  // A group of the directory is another thing than one that admins made, and a request of the protocol than another one.
  const its =
    noun === "groups" && words.includes("directory")
      ? "directory groups"
      : noun === "requests" && words.includes("aap")
        ? "aap requests"
        : noun;
  const word = /^ids?$/.test(field) ? its : field.replace(/Ids?$/, "");
  return (KINDS as Record<string, Kind>)[word ?? ""] ?? null;
}
