import { z } from "zod";
import { readGroup } from "@/lib/policy/groups/group-reads.ts";
import { savedGroupSchema, updateGroupSchema } from "@/lib/policy/groups/group-schema.ts";
import { changeGroup, deleteGroup } from "@/lib/policy/groups/group-writes.ts";
import { proposedSchema } from "@/lib/policy/proposals/proposal-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: tenantRoute(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      params: idParams,
      summary:
        "Rename a group, or add and remove members. This counts at once, also for open requests. If changes need a second admin, it is a proposal (202)",
      body: updateGroupSchema,
      output: z.union([savedGroupSchema, proposedSchema]),
      alsoStatuses: [202],
      errors: ["defined_by_directory"],
    },
    async (tx, { principal, params, body, reply }) => {
      const { id, proposalId } = await changeGroup(tx, principal, params.id, body);
      if (proposalId === null) return readGroup(tx, id);
      reply.status = 202;
      return { proposalId };
    },
  ),
  DELETE: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      params: idParams,
      summary:
        "Delete a group that neither the policy nor an unfinished request names. If changes need a second admin, it is a proposal (202)",
      /** Null: it is deleted. */
      output: z.object({ proposalId: z.uuid().nullable() }),
      alsoStatuses: [202],
      errors: ["defined_by_directory", "group_in_use"],
    },
    async ({ caller, params, reply }) => {
      const { proposalId } = await within(caller, (tx, principal) => deleteGroup(tx, principal, params.id));
      if (proposalId !== null) reply.status = 202;
      return { proposalId };
    },
  ),
});
