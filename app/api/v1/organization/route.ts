import { z } from "zod";
import { log } from "@/lib/base/log.ts";
import { deleteOrganization } from "@/lib/organizations/delete.ts";
import { organizationsOf, readOrganization } from "@/lib/organizations/queries.ts";
import {
  deleteOrganizationSchema,
  organizationSchema,
  updateOrganizationSchema,
} from "@/lib/organizations/schema.ts";
import { updateOrganization } from "@/lib/organizations/transitions.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";
import { EXPORT_COUNTS_MS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "settings:read", summary: "The organization and its rules", output: organizationSchema },
    ({ caller }) => within(caller, readOrganization),
  ),
  PATCH: route(
    {
      auth: "settings:manage",
      summary:
        "Rename the organization, require a second person, or (as an owner) allow API keys without an end",
      body: updateOrganizationSchema,
      output: organizationSchema,
    },
    ({ caller, body }) =>
      within(caller, async (organizationId, tx, principal) => {
        await updateOrganization(organizationId, tx, principal, body);
        return readOrganization(organizationId, tx);
      }),
  ),
  DELETE: route(
    {
      auth: "organization:delete",
      summary:
        "Delete the organization and all that is its own, within an hour of a whole export; `organizations` is how many the caller has left",
      body: deleteOrganizationSchema,
      output: z.object({ organizations: z.number() }),
      errors: ["export_first", "tasks_open"],
    },
    async ({ caller, body }) => {
      const { organizationId, userId } = caller.principal;
      const db = await database();
      await deleteOrganization(organizationId, db, caller.me.organization, body.slug, EXPORT_COUNTS_MS);
      log.warn({ organizationId, by: caller.principal.actor }, "An organization was deleted");
      return { organizations: userId ? (await organizationsOf(db, userId)).length : 0 };
    },
  ),
});
