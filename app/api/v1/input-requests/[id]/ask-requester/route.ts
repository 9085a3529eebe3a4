import { readInputRequest } from "@/lib/input-requests/queries.ts";
import { inputRequestDetailSchema } from "@/lib/input-requests/schema.ts";
import { commentInputSchema } from "@/lib/request-comments/schema.ts";
import { askRequester } from "@/lib/request-comments/transitions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:answer",
      summary: "Ask whoever asked for the task, by a comment; the request stays open to decisions",
      params: idParams,
      body: commentInputSchema,
      output: inputRequestDetailSchema,
      errors: ["no_requester", "already_asked", "too_many_comments", "already_answered", "no_longer_open"],
    },
    ({ caller, params, body }) =>
      within(caller, async (tx, principal) => {
        await askRequester(tx, principal, params.id, body);
        return readInputRequest(tx, principal, params.id);
      }),
  ),
});
