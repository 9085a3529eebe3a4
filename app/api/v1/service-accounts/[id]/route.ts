import { readServiceAccount } from "@/lib/people/service-accounts/service-account-reads.ts";
import {
  serviceAccountSchema,
  updateServiceAccountSchema,
} from "@/lib/people/service-accounts/service-account-schema.ts";
import {
  deleteServiceAccount,
  updateServiceAccount,
} from "@/lib/people/service-accounts/service-account-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: route(
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
    ({ caller, params, body }) =>
      within(caller, async (tx, principal) => {
        await updateServiceAccount(tx, principal, params.id, body);
        return readServiceAccount(tx, params.id);
      }),
  ),
  DELETE: route(
    {
      auth: "keys:manage",
      stepUp: true,
      summary: "Delete a service account, which ends its keys at once",
      params: idParams,
    },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => deleteServiceAccount(tx, principal, params.id));
      return undefined;
    },
  ),
});
