import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { listKeys, readKey } from "@/lib/people/api-keys/api-key-reads.ts";
import { apiKeySchema, createKeySchema, newApiKeySchema } from "@/lib/people/api-keys/api-key-schema.ts";
import { createKey } from "@/lib/people/api-keys/api-key-writes.ts";
import { createAccountKey } from "@/lib/people/service-accounts/service-account-writes.ts";
import { holdCredential } from "@/lib/web/auth/person.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "keys:manage",
      summary: "API keys that work, oldest first",
      query: pageQuerySchema,
      output: pageSchema(apiKeySchema),
    },
    (tx, { query }) => listKeys(tx, query),
  ),
  POST: tenantRoute(
    {
      auth: "keys:manage",
      stepUp: true,
      summary:
        "Make an API key with at most your own role, for you or for a service account. Its secret is shown only once",
      body: createKeySchema,
      output: newApiKeySchema,
      status: 201,
      errors: ["too_many_keys"],
    },
    async (tx, { principal, caller, body }) => {
      await holdCredential(tx, caller);
      const { serviceAccountId, ...own } = body;
      const { id, secret } = serviceAccountId
        ? await createAccountKey(tx, principal, { ...own, serviceAccountId })
        : await createKey(tx, principal, own);
      return { ...(await readKey(tx, id)), secret };
    },
  ),
});
