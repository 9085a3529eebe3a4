import { undoAnswer } from "@/lib/requests/answers/answer-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:answer",
      inKeyScope: true,
      summary: "Take one's own answer back while it is held; operators, anybody's",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["already_sent", "four_eyes"],
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await undoAnswer(tx, principal, params.id);
        return readInputRequest(tx, principal, params.id);
      }),
  ),
});
