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
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "keys:manage",
      summary: "Service accounts, oldest first, and why some are suspended",
      query: pageQuerySchema,
      output: pageSchema(serviceAccountSchema),
    },
    (tx, { query }) => listServiceAccounts(tx, query),
  ),
  POST: tenantRoute(
    {
      auth: "keys:manage",
      stepUp: true,
      summary:
        "Make a service account with at most your own role, and at most the role of the responsible member",
      body: createServiceAccountSchema,
      output: serviceAccountSchema,
      status: 201,
      errors: ["name_taken", "too_many_service_accounts"],
    },
    async (tx, { principal, body }) => {
      const id = await createServiceAccount(tx, principal, body);
      return readServiceAccount(tx, id);
    },
  ),
});
