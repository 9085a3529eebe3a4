import { expect, test } from "vitest";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { busiestTurn, MOST_HELD_MS } from "../../../test/guards/busiest-turn.ts";
import { policyInputSchema } from "../policy-schema.ts";
import { isTooLong } from "../problems.ts";
import { listPolicyProposals } from "./proposal-reads.ts";

const fixture = organizationForFile([]);
const PROPOSALS = 40;

test("proposals of many admins, each of a policy as long as one may be, are read one after the other", async () => {
  const { organizationId, operator } = fixture;
  const members = Array.from({ length: 24 }, (_, n) => `${n}@x.io`);
  const groups = Object.fromEntries(Array.from({ length: 420 }, (_, n) => [`g${n}`, members]));
  const automatic = Array.from({ length: 40 }, (_, n) => ({
    ...{ name: `${n}`, when: `"g${n}" in requester.groups`, mode: "live" },
    answer: { action: "accept", content: { value: "approve" } },
  }));
  const policy = policyInputSchema.parse({ groups, automatic });
  expect(isTooLong(policy)).toBe(false);
  const people = Object.fromEntries(members.map((address) => [address, operator.userId]));
  await fixture.sql(
    `INSERT INTO policy_proposal (organization_id, id, base_version, policy, people, group_ids, acknowledged, proposed_by, proposer)
      SELECT $1, gen_random_uuid(), 0, $2::jsonb, $3::jsonb, '{}', '["1"]', $4::jsonb, gen_random_uuid()
      FROM generate_series(1, $5)`,
    [
      organizationId,
      JSON.stringify(policy),
      JSON.stringify(people),
      JSON.stringify(operator.actor),
      PROPOSALS,
    ],
  );
  const busiest = await busiestTurn(async () => {
    const { items } = await fixture.within((tx) => listPolicyProposals(tx, operator));
    return items.map(({ acknowledged }) => acknowledged.length).join();
  });
  expect(busiest).toBeLessThan(MOST_HELD_MS);
  const { items } = await fixture.within((tx) => listPolicyProposals(tx, operator));
  expect(items).toHaveLength(PROPOSALS);
  expect(items[0]).toMatchObject({ acknowledged: [{ name: "1", agreed: 0, disagreed: 0 }] });
});
