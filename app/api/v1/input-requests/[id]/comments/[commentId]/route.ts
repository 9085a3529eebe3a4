import { z } from "zod";
import { deleteComment } from "@/lib/requests/comments/comment-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "requests:read",
      summary: "Delete what one's own comment says, for good; that there was one stays",
      params: idParams.extend({ commentId: z.uuid() }),
      errors: ["legal_hold"],
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await deleteComment(tx, principal, params.id, params.commentId);
        return undefined;
      }),
  ),
});
