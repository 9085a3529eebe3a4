/** Jobs that create and withdraw notices. */
import { noteEndingAgents } from "../../agents/agent-writes.ts";
import { tookTooLong } from "../../base/db/database-errors.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { organizationsBehind, takeEvents } from "../../history/events/follow.ts";
import { NO_SUBJECTS, type Subjects } from "../../outbound/notices/audience.ts";
import { peopleBehind, subjectsOf } from "../../outbound/notices/follow.ts";
import { markOwnRead, syncNotices, withdrawNotices } from "../../outbound/notices/notice-writes.ts";
import { noteWarnings } from "../../people/api-keys/api-key-writes.ts";
import { unassignUnable } from "../../people/members/unassign.ts";
import { noteCertificateEnds } from "../../people/saml/saml-writes.ts";
import { noteMissingOwners } from "../../people/service-accounts/service-account-writes.ts";
import { noteMoves } from "../../policy/away/away-writes.ts";
import { wake } from "../../requests/snoozes/snooze-writes.ts";
import {
  followAskers,
  followGroups,
  followMakers,
  followRequests,
  followRoles,
} from "../../requests/voting/release-without-vote.ts";
import { ABSENCES_MS, EVENTS_A_TURN, KEY_WARNINGS_MS, NOTIFY_EVERY_MS, SNOOZES_MS } from "../tunables.ts";
import type { Job } from "./job-runner.ts";

/** Creates and withdraws notices according to new history lines. */
export const NOTICES: Job = {
  name: "notices",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: () => organizationsBehind("notices"),
  async run({ database }, organizationId) {
    for (let most = EVENTS_A_TURN; ; most = Math.ceil(most / 10))
      try {
        return await database.withOrganization(organizationId, (tx) => follow(tx, most));
      } catch (error) {
        // Each line may concern thousands of people.
        if (most === 1 || !tookTooLong(error)) throw error;
      }
  },
};

/** Follows at most `most` lines of the history. Returns true if more may be left. */
async function follow(tx: Tx, most: number): Promise<boolean> {
  const from = { follower: "notices", begins: "now" } as const;
  const events = await takeEvents(tx, from, most);
  const { own, groups, roles, ...found } = subjectsOf(events);
  const { makers, askers } = peopleBehind(events);
  await followRequests(tx, found.requests);
  // By the rule of a second person. Whoever changes a service account can't do it: `lib/people/service-accounts` is below `lib/people/members`.
  if (askers) await unassignUnable(tx, null);
  const followed = [
    ...(await followGroups(tx, groups)),
    ...(await followRoles(tx, roles)),
    ...(makers ? await followMakers(tx) : []),
    ...(askers ? await followAskers(tx) : []),
  ];
  const subjects = { ...found, requests: [...new Set([...found.requests, ...followed])] };
  await tell(tx, subjects);
  await markOwnRead(tx, own);
  return events.length === most;
}

/** Warns of API keys that end, and of those that have ended. */
export const KEY_WARNINGS = noticeJob({
  name: "key warnings",
  everyMs: KEY_WARNINGS_MS,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_ending_keys()`,
  subjects: async (tx) => ({ keys: await noteWarnings(tx) }),
});

/** Warns of agents whose secret ends, and of those whose secret has ended. */
export const AGENT_WARNINGS = noticeJob({
  name: "agent warnings",
  everyMs: KEY_WARNINGS_MS,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_ending_agents()`,
  subjects: async (tx) => ({ agents: await noteEndingAgents(tx) }),
});

/** Tells of service accounts that rest for want of an owner, and of those that do no more. */
export const RESTING_ACCOUNTS = noticeJob({
  name: "resting service accounts",
  everyMs: KEY_WARNINGS_MS,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_resting_accounts()`,
  subjects: async (tx) => ({ serviceAccounts: await noteMissingOwners(tx) }),
});

/** Tells owners of SAML certificates that end soon. */
export const ENDING_CERTIFICATES = noticeJob({
  name: "ending SAML certificates",
  everyMs: KEY_WARNINGS_MS,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_saml()`,
  subjects: async (tx) => ({ samlProviders: await noteCertificateEnds(tx) }),
});

/** Tells those who stand in of what waits already when somebody leaves, and no more once they are back. */
export const ABSENCES = noticeJob({
  name: "absences",
  everyMs: ABSENCES_MS,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_absences()`,
  subjects: async (tx) => ({ requests: await noteMoves(tx) }),
});

/** Tells members that what they had put off is back. */
export const SNOOZES: Job = {
  name: "snoozes",
  everyMs: SNOOZES_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_ended_snoozes()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const { woken, isMore } = await wake(tx);
      for (const { inputRequestId, userId } of woken)
        await withdrawNotices(tx, "request.woke", inputRequestId, userId);
      const requests = [...new Set(woken.map(({ inputRequestId }) => inputRequestId))];
      await tell(tx, { requests });
      return isMore;
    }),
};

interface Noting extends Pick<Job, "name" | "everyMs" | "due"> {
  /** Writes down that people are told now. Returns of what. */
  subjects(tx: Tx): Promise<Partial<Subjects>>;
}

function noticeJob({ subjects, ...job }: Noting): Job {
  return {
    ...job,
    isTold: false,
    run: ({ database }, organizationId) =>
      database.withOrganization(organizationId, async (tx) => {
        await tell(tx, await subjects(tx));
        return false;
      }),
  };
}

function tell(tx: Tx, subjects: Partial<Subjects>): Promise<void> {
  return syncNotices(tx, { ...NO_SUBJECTS, ...subjects }, env().smtpUrl !== undefined);
}
