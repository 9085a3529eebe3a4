import { readUndoWindow } from "@/lib/people/organizations/organization-reads.ts";
import { undoWindowSchema } from "@/lib/people/organizations/organization-schema.ts";
import { setUndoWindow } from "@/lib/people/organizations/organization-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:read",
      summary: "How long screens hold an answer so that it can be undone",
      output: undoWindowSchema,
    },
    ({ caller }) => within(caller, readUndoWindow),
  ),
  PUT: tenantRoute(
    {
      auth: "settings:manage",
      summary: "Change how long screens hold an answer so that it can be undone",
      body: undoWindowSchema,
      output: undoWindowSchema,
    },
    async (tx, { principal, body }) => {
      await setUndoWindow(tx, principal, body);
      return readUndoWindow(tx);
    },
  ),
});
