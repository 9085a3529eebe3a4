import { listOwnReads } from "@/lib/tasks/access-log/access-log-reads.ts";
import { readsQuerySchema, readsSchema } from "@/lib/tasks/access-log/access-log-schema.ts";
import { signedInPerson } from "@/lib/web/auth/person.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "account:use",
      summary: "The access log of your data in this organization, newest first; sessions only",
      query: readsQuerySchema,
      output: readsSchema,
    },
    (tx, { principal, caller, query }) => listOwnReads(tx, principal, signedInPerson(caller).user.id, query),
  ),
});
