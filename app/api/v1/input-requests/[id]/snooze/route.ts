import { snoozeInputSchema } from "@/lib/requests/request-input-schema.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endSnooze, snooze } from "@/lib/requests/snoozes/snooze-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: tenantRoute(
    {
      auth: "requests:answer",
      summary: "Snooze a request for yourself until a time",
      params: idParams,
      body: snoozeInputSchema,
      output: inputRequestDetailSchema,
      errors: ["already_answered", "no_longer_open"],
    },
    async (tx, { principal, params, body }) => {
      await snooze(tx, principal, params.id, body);
      return readInputRequest(tx, principal, params.id);
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "requests:answer",
      summary: "End your snooze of a request",
      params: idParams,
      output: inputRequestDetailSchema,
    },
    async (tx, { principal, params }) => {
      await endSnooze(tx, principal, params.id);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
