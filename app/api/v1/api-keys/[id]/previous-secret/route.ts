import { endPreviousSecret } from "@/lib/people/api-keys/rotation.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "keys:manage",
      summary: "End the secret from before a key's last rotation now",
      params: idParams,
    },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => endPreviousSecret(tx, principal, params.id));
      return undefined;
    },
  ),
});
