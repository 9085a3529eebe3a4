import { judgeAgain } from "@/lib/input-requests/judging/transitions.ts";
import { readInputRequest } from "@/lib/input-requests/queries.ts";
import { inputRequestDetailSchema } from "@/lib/input-requests/schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      stepUp: true,
      summary: "Have an open request judged by the policy of now, in person: its votes end",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["four_eyes", "already_answered", "no_longer_open"],
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await judgeAgain(tx, principal, params.id);
        return readInputRequest(tx, principal, params.id);
      }),
  ),
});
