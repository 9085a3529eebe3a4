import { undoAnswer } from "@/lib/requests/answers/answer-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:answer",
      inKeyScope: true,
      summary: "Take your own answer back while it is held; operators can take back anybody's",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["already_sent", "four_eyes"],
    },
    async (tx, { principal, params }) => {
      await undoAnswer(tx, principal, params.id);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
