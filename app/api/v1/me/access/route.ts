import { listOwnReads } from "@/lib/tasks/access-log/access-log-reads.ts";
import { readsQuerySchema, readsSchema } from "@/lib/tasks/access-log/access-log-schema.ts";
import { signedInPerson } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "The access log of your data in this organization, newest first; sessions only",
      query: readsQuerySchema,
      output: readsSchema,
    },
    ({ caller, query }) =>
      within(caller, (tx, principal) => listOwnReads(tx, principal, signedInPerson(caller).user.id, query)),
  ),
});
