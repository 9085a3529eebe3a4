import { endPreviousSecret } from "@/lib/people/api-keys/rotation.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: tenantRoute(
    {
      auth: "keys:manage",
      summary: "End a key's previous secret now",
      params: idParams,
    },
    (tx, { principal, params }) => endPreviousSecret(tx, principal, params.id),
  ),
});
