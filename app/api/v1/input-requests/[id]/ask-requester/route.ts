import { commentInputSchema } from "@/lib/requests/comments/comment-schema.ts";
import { askRequester } from "@/lib/requests/comments/comment-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:answer",
      summary: "Ask the requester by a comment; the request stays open to decisions",
      params: idParams,
      body: commentInputSchema,
      output: inputRequestDetailSchema,
      errors: ["no_requester", "already_asked", "too_many_comments", "already_answered", "no_longer_open"],
    },
    async (tx, { principal, params, body }) => {
      await askRequester(tx, principal, params.id, body);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
