import { resend } from "@/lib/requests/deliveries/delivery-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:resend",
      summary: "Send an answer again that the server accepted, although it still asks",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["nothing_to_resend"],
    },
    async (tx, { principal, params }) => {
      await resend(tx, principal, params.id);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
