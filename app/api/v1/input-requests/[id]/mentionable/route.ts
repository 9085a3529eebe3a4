import { findMentionable } from "@/lib/requests/comments/comment-reads.ts";
import { mentionableQuerySchema, mentionableSchema } from "@/lib/requests/comments/comment-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      summary:
        "Members who may see a request and can be mentioned there, at most 20; for people who may comment",
      params: idParams,
      query: mentionableQuerySchema,
      output: mentionableSchema,
    },
    async (tx, { principal, params, query }) => ({
      items: await findMentionable(tx, principal, params.id, query.q),
    }),
  ),
});
