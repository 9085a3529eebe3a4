import {
  beginSealing,
  contentSealingSchema,
  endSealing,
  readContentSealing,
  saveContentSealingSchema,
} from "@/lib/people/content-sealing/sealing-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "settings:manage",
      summary: "Whether task content is encrypted with a key of the organization, and how much is converted",
      output: contentSealingSchema,
    },
    (tx) => readContentSealing(tx),
  ),
  PUT: route(
    {
      auth: "content:seal",
      stepUp: true,
      summary: "Encrypt task content with a key of the organization, or decrypt it again",
      body: saveContentSealingSchema,
      output: contentSealingSchema,
      errors: ["engine_outdated"],
    },
    async ({ caller, body }) => {
      await within(caller, (tx, principal) =>
        body.sealed ? beginSealing(tx, principal, sealing()) : endSealing(tx, principal),
      );
      // By a transaction that has the new key.
      return within(caller, (tx) => readContentSealing(tx));
    },
  ),
});
