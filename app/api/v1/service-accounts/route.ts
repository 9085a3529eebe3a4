import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import {
  listServiceAccounts,
  readServiceAccount,
} from "@/lib/people/service-accounts/service-account-reads.ts";
import {
  createServiceAccountSchema,
  serviceAccountSchema,
} from "@/lib/people/service-accounts/service-account-schema.ts";
import { createServiceAccount } from "@/lib/people/service-accounts/service-account-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "keys:manage",
      summary: "Service accounts, oldest first, and why one is suspended",
      query: pageQuerySchema,
      output: pageSchema(serviceAccountSchema),
    },
    ({ caller, query }) => within(caller, (tx) => listServiceAccounts(tx, query)),
  ),
  POST: route(
    {
      auth: "keys:manage",
      stepUp: true,
      summary: "Make a service account, no stronger than oneself and than the member who answers for it",
      body: createServiceAccountSchema,
      output: serviceAccountSchema,
      status: 201,
      errors: ["name_taken", "too_many_service_accounts"],
    },
    ({ caller, body }) =>
      within(caller, async (tx, principal) => {
        const id = await createServiceAccount(tx, principal, body);
        return readServiceAccount(tx, id);
      }),
  ),
});
