import { readKey } from "@/lib/people/api-keys/api-key-reads.ts";
import { apiKeySchema, updateKeySchema } from "@/lib/people/api-keys/api-key-schema.ts";
import { revokeKey, updateKey } from "@/lib/people/api-keys/api-key-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: tenantRoute(
    {
      auth: "keys:manage",
      stepUp: true,
      summary: "Rename an API key, or change the networks from which it may be used",
      params: idParams,
      body: updateKeySchema,
      output: apiKeySchema,
    },
    async (tx, { principal, params, body }) => {
      await updateKey(tx, principal, params.id, body);
      return readKey(tx, params.id);
    },
  ),
  DELETE: tenantRoute(
    { auth: "keys:manage", summary: "Revoke an API key", params: idParams },
    (tx, { principal, params }) => revokeKey(tx, principal, params.id),
  ),
});
