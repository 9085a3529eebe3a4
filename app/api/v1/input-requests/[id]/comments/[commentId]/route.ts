import { z } from "zod";
import { deleteComment } from "@/lib/requests/comments/comment-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: tenantRoute(
    {
      auth: "requests:read",
      summary: "Delete the text of your own comment for good. The history keeps that there was one",
      params: idParams.extend({ commentId: z.uuid() }),
      errors: ["legal_hold"],
    },
    (tx, { principal, params }) => deleteComment(tx, principal, params.id, params.commentId),
  ),
});
