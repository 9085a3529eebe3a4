/** Determines which notices an event may affect. Pure; notice-writes.ts writes. */

import type { EventType } from "../../history/events/event-schema.ts";
import type { FollowedEvent } from "../../history/events/follow.ts";
import type { Subjects } from "./audience.ts";

/** Events that may create or withdraw a task's notices. */
const OF_TASKS: EventType[] = [
  "task.completed",
  "task.failed",
  "task.lost",
  "task.expired",
  "task.cancelled",
  "task.start_unknown",
  "task.start_settled",
  "task.adopted",
];
const REMEMBERED = /^(request|answer|delivery|vote)\./;
const ABOUT_COMMENTS: EventType[] = ["request.commented", "request.comment_deleted"];
const ABOUT_CONNECTIONS = /^connection\./;
const ABOUT_SERVERS: EventType[] = ["server.health_changed", "server.removed"];
const ABOUT_WEBHOOKS = /^webhook\./;
const ABOUT_DELETION = /^organization\.deletion_/;
const ABOUT_THE_RULE = /^organization\.four_eyes_/;
const ABOUT_THE_POLICY = /^policy\./;
/** Who is in a group decides for whom requests wait. */
const ABOUT_GROUPS = /^(group\.|directory\.group_)/;
/** Since these, more people may count as one person. */
const ABOUT_MAKERS: EventType[] = [
  "organization.four_eyes_changed",
  "member.vouch_withdrawn",
  "saml_provider.updated",
];
/** Since these, more people may be behind a service account: its owner, and who made a key of it. */
const ABOUT_ASKERS: EventType[] = ["service_account.owner_changed", "key.created"];
/** Those that end or begin a key's life; its warnings are made as time passes. */
const ABOUT_KEYS: EventType[] = ["key.revoked", "key.rotated"];
const ABOUT_AGENTS: EventType[] = ["agent.revoked", "agent.rotated"];
const ABOUT_AUDIT_STREAMS = /^audit_stream\./;
const ABOUT_SERVICE_ACCOUNTS = /^service_account\./;
/** A new certificate is seen by the job that reads them; a provider that is gone ends nothing. */
const ABOUT_SAML: EventType[] = ["saml_provider.removed"];

const ABOUT_SLACK: EventType[] = ["slack.set_up", "slack.removed", "slack.revoked"];
const ABOUT_TEAMS: EventType[] = ["teams.set_up", "teams.removed", "teams.revoked"];

/** A member's own action, whose notice is marked as read for them unless another event followed. */
export interface OwnDoing {
  userId: string;
  subject: string;
}

/** `groups`: ids of groups whose members may be others. `roles`: those that members have or had. */
export function subjectsOf(
  events: FollowedEvent[],
): Subjects & { own: OwnDoing[]; groups: string[]; roles: string[] } {
  const found = {
    requests: new Set<string>(),
    comments: new Set<string>(),
    tasks: new Set<string>(),
    connections: new Set<string>(),
    servers: new Set<string>(),
    webhooks: new Set<string>(),
    accounts: new Set<string>(),
    proposals: new Set<string>(),
    policyProposals: new Set<string>(),
    vouched: new Set<string>(),
    ending: new Set<string>(),
    keys: new Set<string>(),
    agents: new Set<string>(),
    auditStreams: new Set<string>(),
    serviceAccounts: new Set<string>(),
    samlProviders: new Set<string>(),
    slackApps: new Set<string>(),
    teamsApps: new Set<string>(),
  };
  const own = new Map<string, OwnDoing>();
  const groups = new Set<string>();
  const roles = new Set<string>();
  for (const { type, actor, taskId, inputRequestId, data } of events) {
    const add = (to: Set<string>, id: unknown) => {
      if (typeof id !== "string") return;
      to.add(id);
      if (actor.kind === "member" && actor.id !== null) own.set(id, { userId: actor.id, subject: id });
      else own.delete(id);
    };
    if (REMEMBERED.test(type)) add(found.requests, inputRequestId);
    if (ABOUT_COMMENTS.includes(type)) add(found.comments, data.commentId);
    if (OF_TASKS.includes(type)) add(found.tasks, taskId);
    if (ABOUT_CONNECTIONS.test(type)) add(found.connections, data.connectionId);
    if (ABOUT_SERVERS.includes(type)) add(found.servers, data.serverId);
    if (ABOUT_WEBHOOKS.test(type)) add(found.webhooks, data.webhookId);
    if (type === "account.replaced") add(found.accounts, data.userId);
    if (ABOUT_THE_RULE.test(type)) add(found.proposals, data.proposalId);
    if (ABOUT_THE_POLICY.test(type)) add(found.policyProposals, data.proposalId);
    if (ABOUT_GROUPS.test(type) && typeof data.groupId === "string") groups.add(data.groupId);
    if (type === "member.role_changed")
      for (const role of [data.from, data.to]) if (typeof role === "string") roles.add(role);
    if (ABOUT_DELETION.test(type)) add(found.ending, data.organizationId);
    if (type === "member.vouched" || type === "member.vouch_withdrawn") add(found.vouched, data.memberId);
    if (ABOUT_KEYS.includes(type)) add(found.keys, data.keyId);
    if (ABOUT_AGENTS.includes(type)) add(found.agents, data.agentId);
    if (ABOUT_AUDIT_STREAMS.test(type)) add(found.auditStreams, data.streamId);
    if (ABOUT_SERVICE_ACCOUNTS.test(type)) add(found.serviceAccounts, data.serviceAccountId);
    if (ABOUT_SAML.includes(type)) add(found.samlProviders, data.samlProviderId);
    if (ABOUT_SLACK.includes(type)) add(found.slackApps, data.organizationId);
    if (ABOUT_TEAMS.includes(type)) add(found.teamsApps, data.organizationId);
  }
  const { requests, comments, tasks, connections, servers, webhooks, accounts, ...others } = found;
  const {
    proposals,
    policyProposals,
    vouched,
    ending,
    keys,
    agents,
    auditStreams,
    serviceAccounts,
    samlProviders,
    slackApps,
    teamsApps,
  } = others;
  return {
    requests: [...requests],
    comments: [...comments],
    tasks: [...tasks],
    connections: [...connections],
    servers: [...servers],
    webhooks: [...webhooks],
    accounts: [...accounts],
    proposals: [...proposals],
    policyProposals: [...policyProposals],
    vouched: [...vouched],
    ending: [...ending],
    keys: [...keys],
    agents: [...agents],
    auditStreams: [...auditStreams],
    serviceAccounts: [...serviceAccounts],
    samlProviders: [...samlProviders],
    slackApps: [...slackApps],
    teamsApps: [...teamsApps],
    own: [...own.values()],
    groups: [...groups],
    roles: [...roles],
  };
}

/** Whether these events may make more people count as one person (`makers`) or as requesters of earlier tasks (`askers`). */
export function peopleBehind(events: FollowedEvent[]): { makers: boolean; askers: boolean } {
  return {
    makers: events.some(({ type }) => ABOUT_MAKERS.includes(type)),
    askers: events.some(({ type, data }) => ABOUT_ASKERS.includes(type) && "serviceAccountId" in data),
  };
}
