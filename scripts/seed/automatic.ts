/** A rule in shadow over a seeded month: what it would have said beside what people decided, who agree mostly. */
import type pg from "pg";
import type { Principal } from "../../lib/access/principal.ts";
import { createDatabase } from "../../lib/base/db/db.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { fingerprintOf } from "../../lib/policy/automatic/authors.ts";
import { readPolicyWithPeople } from "../../lib/policy/policy-reads.ts";
import { type Policy, policyInputSchema } from "../../lib/policy/policy-schema.ts";
import { savePolicy } from "../../lib/policy/policy-writes.ts";
import { contentDigest } from "../../lib/requests/answers/answer-content.ts";
import type { TaskRows } from "./task-rows.ts";

const SMALL = 500;
const NAME = "Small seeded invoices";
const ANSWER = { action: "accept", content: { value: "approve" } } as const;
/** About seeded servers alone: it says nothing of what is real. */
const RULE = {
  name: NAME,
  when: `server.name == "Seed ERP" && tool == "process_invoice" && request.amount != null && request.amount < ${SMALL}.0`,
  answer: ANSWER,
  mode: "shadow",
};

/** What the rule is stored as, in the policy in force. */
export interface SeededRule {
  version: number;
  fingerprint: string;
}

/** Puts the rule into the policy, if it is not there. Null where changes of the policy need a second admin: nothing is done. */
export function seedRule(ownerUrl: string, organizationId: string): Promise<SeededRule | null> {
  return changePolicy(ownerUrl, organizationId, (policy) =>
    policy.automatic?.some(({ name }) => name === NAME)
      ? policy
      : {
          ...policy,
          automatic: [
            ...(policy.automatic ?? []),
            ...(policyInputSchema.parse({ automatic: [RULE] }).automatic ?? []),
          ],
        },
  );
}

/** Takes the rule out of the policy again. */
export async function removeSeededRule(ownerUrl: string, organizationId: string): Promise<void> {
  await changePolicy(ownerUrl, organizationId, (policy) => {
    const automatic = policy.automatic?.filter(({ name }) => name !== NAME) ?? [];
    const { automatic: _, ...others } = policy;
    return automatic.length > 0 ? { ...others, automatic } : others;
  });
}

async function changePolicy(
  ownerUrl: string,
  organizationId: string,
  change: (policy: Policy) => Policy,
): Promise<SeededRule | null> {
  const db = createDatabase(ownerUrl, { connections: 1 });
  const principal: Principal = { organizationId, userId: null, role: "admin", actor: COMMAND_LINE };
  try {
    return await db.withOrganization(organizationId, async (tx) => {
      const { twoPersonPolicy } = await tx.organization.findFirstOrThrow({ where: { id: organizationId } });
      if (twoPersonPolicy) return null;
      const { version, policy } = await readPolicyWithPeople(tx);
      await savePolicy(tx, principal, version, change(policy));
      return ruleIn(await readPolicyWithPeople(tx));
    });
  } finally {
    await db.close();
  }
}

function ruleIn(read: Awaited<ReturnType<typeof readPolicyWithPeople>>): SeededRule | null {
  const rule = read.policy.automatic?.find(({ name }) => name === NAME);
  return rule ? { version: read.version, fingerprint: fingerprintOf(rule, read) } : null;
}

type Rows = Pick<TaskRows, "task" | "request" | "answer">;

/** Writes what the rule said of the seeded requests that it matches, and whether people decided the same. */
export async function insertDecisions(
  client: pg.Client,
  organizationId: string,
  { version, fingerprint }: SeededRule,
  rows: Rows[],
): Promise<void> {
  const digest = contentDigest(ANSWER.action, ANSWER.content);
  const decisions = rows.flatMap(({ task, request, answer }) => {
    if (!request || !isMatched(task)) return [];
    const { created_at: at } = request;
    const agreed = answer && contentDigest(answer.action, answer.content) === digest;
    return [{ request: request.id, at, answer: answer?.id ?? null, agreed }];
  });
  await client.query(
    `INSERT INTO automatic_decision (organization_id, input_request_id, created_at, judged_at, state, rule, version, fingerprint,
       action, content_digest, people_answer_id, agreed)
     SELECT $1, x.request, x.at, x.at, 'shadow', $3, $4, $5, $6, $7, x.answer, x.agreed
     FROM json_to_recordset($2) AS x(request uuid, at timestamptz, answer uuid, agreed boolean)`,
    [organizationId, JSON.stringify(decisions), NAME, version, fingerprint, ANSWER.action, digest],
  );
}

/** As the rule's condition says. Private requests are never asked about. */
function isMatched({ tool, visibility, arguments: args }: Rows["task"]): boolean {
  const { invoice } = args as { invoice?: { total: number } };
  return (
    tool === "process_invoice" &&
    visibility === "organization" &&
    invoice !== undefined &&
    invoice.total < SMALL
  );
}
