import { noteInfo } from "@/lib/requests/comments/comment-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:read",
      summary: "Say that no information is missing: the request no longer waits for its requester",
      params: idParams,
      output: inputRequestDetailSchema,
    },
    async (tx, { principal, params }) => {
      await noteInfo(tx, principal, params.id);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
