import { readKey } from "@/lib/people/api-keys/api-key-reads.ts";
import { apiKeySchema, updateKeySchema } from "@/lib/people/api-keys/api-key-schema.ts";
import { revokeKey, updateKey } from "@/lib/people/api-keys/api-key-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: route(
    {
      auth: "keys:manage",
      stepUp: true,
      summary: "Rename an API key, or change the networks it may come from",
      params: idParams,
      body: updateKeySchema,
      output: apiKeySchema,
    },
    ({ caller, params, body }) =>
      within(caller, async (tx, principal) => {
        await updateKey(tx, principal, params.id, body);
        return readKey(tx, params.id);
      }),
  ),
  DELETE: route(
    { auth: "keys:manage", summary: "Revoke an API key", params: idParams },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => revokeKey(tx, principal, params.id));
      return undefined;
    },
  ),
});
