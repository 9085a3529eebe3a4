import { z } from "zod";
import { deleteComment } from "@/lib/requests/comments/comment-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: tenantRoute(
    {
      auth: "requests:read",
      summary: "Delete what one's own comment says, for good; that there was one stays",
      params: idParams.extend({ commentId: z.uuid() }),
      errors: ["legal_hold"],
    },
    (tx, { principal, params }) => deleteComment(tx, principal, params.id, params.commentId),
  ),
});
