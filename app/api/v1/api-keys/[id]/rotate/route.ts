import { readKey } from "@/lib/people/api-keys/api-key-reads.ts";
import { newApiKeySchema, rotateKeySchema } from "@/lib/people/api-keys/api-key-schema.ts";
import { rotateKey } from "@/lib/people/api-keys/rotation.ts";
import { readIdempotencyKey } from "@/lib/web/http/request-headers.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "keys:manage",
      stepUp: true,
      summary: "Give your own key a new secret, which is shown only once. The old one works for the overlap",
      params: idParams,
      body: rotateKeySchema,
      output: newApiKeySchema,
      errors: ["idempotency_mismatch"],
      headers: {
        "idempotency-key": "At most 255 characters. The same key and body give the same secret for a day",
      },
    },
    ({ caller, request, params, body }) => {
      const idempotencyKey = readIdempotencyKey(request);
      return within(caller, async (tx, principal) => {
        const { secret } = await rotateKey(tx, principal, sealing(), params.id, body, idempotencyKey);
        return { ...(await readKey(tx, params.id)), secret };
      });
    },
  ),
});
