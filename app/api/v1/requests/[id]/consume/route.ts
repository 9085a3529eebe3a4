import { env } from "@/lib/base/env.ts";
import { readHumanRequest } from "@/lib/lifecycle/human-tasks/human-task-reads.ts";
import { consumeSchema, requestSchema } from "@/lib/lifecycle/human-tasks/human-task-schema.ts";
import { consumeApproval } from "@/lib/lifecycle/human-tasks/human-task-writes.ts";
import { idempotencyHeader, readIdempotencyKey } from "@/lib/web/http/request-headers.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:ask",
      summary:
        "Use an approval that is bound to a call: once, for the arguments that were shown, before it expires",
      params: idParams,
      headers: idempotencyHeader,
      body: consumeSchema,
      output: requestSchema,
      errors: ["not_found", "approval_unusable"],
    },
    async (tx, { principal, request, params, body }) => {
      await consumeApproval(tx, principal, params.id, body, readIdempotencyKey(request));
      return readHumanRequest(tx, principal, params.id, env().url);
    },
  ),
});
