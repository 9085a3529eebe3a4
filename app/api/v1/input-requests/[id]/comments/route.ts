import { readThread } from "@/lib/requests/comments/comment-reads.ts";
import { commentInputSchema, commentSchema, threadSchema } from "@/lib/requests/comments/comment-schema.ts";
import { addComment } from "@/lib/requests/comments/comment-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      inKeyScope: true,
      inView: true,
      summary: "The comments on a request, oldest first. None of them is sent to a server",
      params: idParams,
      output: threadSchema,
    },
    (tx, { principal, params }) => readThread(tx, principal, params.id),
  ),
  POST: tenantRoute(
    {
      auth: "requests:read",
      summary: "Comment in person, as an approver or as the requester; `mentions` are ids of users",
      params: idParams,
      body: commentInputSchema,
      output: commentSchema,
      status: 201,
      errors: ["too_many_comments"],
    },
    (tx, { principal, params, body }) => addComment(tx, principal, params.id, body),
  ),
});
