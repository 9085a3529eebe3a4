import { z } from "zod";
import { listGroups, readGroup } from "@/lib/policy/groups/group-reads.ts";
import { createGroupSchema, groupsSchema, savedGroupSchema } from "@/lib/policy/groups/group-schema.ts";
import { createGroup } from "@/lib/policy/groups/group-writes.ts";
import { proposedSchema } from "@/lib/policy/proposals/proposal-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The groups that a policy can name: those made here, and the directory's",
      output: groupsSchema,
    },
    async ({ caller }) => ({ items: await within(caller, listGroups) }),
  ),
  POST: tenantRoute(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary:
        "Make a group of members. If changes of the policy need a second admin, it is a proposal (202)",
      body: createGroupSchema,
      status: 201,
      output: z.union([savedGroupSchema, proposedSchema]),
      alsoStatuses: [202],
    },
    async (tx, { principal, body, reply }) => {
      const { id, proposalId } = await createGroup(tx, principal, body);
      if (proposalId === null) return readGroup(tx, id);
      reply.status = 202;
      return { proposalId };
    },
  ),
});
