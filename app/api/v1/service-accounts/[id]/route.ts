import { readServiceAccount } from "@/lib/people/service-accounts/service-account-reads.ts";
import {
  serviceAccountSchema,
  updateServiceAccountSchema,
} from "@/lib/people/service-accounts/service-account-schema.ts";
import {
  deleteServiceAccount,
  updateServiceAccount,
} from "@/lib/people/service-accounts/service-account-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: tenantRoute(
    {
      auth: "keys:manage",
      stepUp: true,
      summary:
        "Rename or describe a service account, change its role, give it another owner, suspend or resume it",
      params: idParams,
      body: updateServiceAccountSchema,
      output: serviceAccountSchema,
      errors: ["name_taken"],
    },
    async (tx, { principal, params, body }) => {
      await updateServiceAccount(tx, principal, params.id, body);
      return readServiceAccount(tx, params.id);
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "keys:manage",
      stepUp: true,
      summary: "Delete a service account, which ends its keys at once",
      params: idParams,
    },
    (tx, { principal, params }) => deleteServiceAccount(tx, principal, params.id),
  ),
});
