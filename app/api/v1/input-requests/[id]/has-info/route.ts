import { readInputRequest } from "@/lib/input-requests/queries.ts";
import { inputRequestDetailSchema } from "@/lib/input-requests/schema.ts";
import { noteInfo } from "@/lib/request-comments/transitions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:read",
      summary: "Say that nothing is missing any more: the request waits for its requester no longer",
      params: idParams,
      output: inputRequestDetailSchema,
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await noteInfo(tx, principal, params.id);
        return readInputRequest(tx, principal, params.id);
      }),
  ),
});
