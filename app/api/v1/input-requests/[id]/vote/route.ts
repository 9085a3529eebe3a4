import { takeVoteBack } from "@/lib/requests/answers/answer-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: tenantRoute(
    {
      auth: "requests:answer",
      inKeyScope: true,
      summary: "Take your own vote back while its stage still needs votes",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["stage_full", "already_answered", "no_longer_open"],
    },
    async (tx, { principal, params }) => {
      await takeVoteBack(tx, principal, params.id);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
