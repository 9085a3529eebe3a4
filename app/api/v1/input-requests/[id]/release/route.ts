import { readInputRequest } from "@/lib/input-requests/queries.ts";
import { inputRequestDetailSchema } from "@/lib/input-requests/schema.ts";
import { releaseRequest } from "@/lib/input-requests/transitions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:answer",
      summary: "Give a claim up",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["claimed_by_other"],
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await releaseRequest(tx, principal, params.id);
        return readInputRequest(tx, principal, params.id);
      }),
  ),
});
