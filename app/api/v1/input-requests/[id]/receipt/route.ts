import { z } from "zod";
import { readReceipt } from "@/lib/requests/receipts/receipt-reads.ts";
import { signReceipt } from "@/lib/requests/receipts/receipt-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "requests:read",
      inKeyScope: true,
      summary:
        "A signed receipt: what was shown, who decided, what was sent, and the request's place in the history",
      params: idParams,
      output: z
        .string()
        .describe("A JWS in its compact form (RFC 7515), signed with a key of /.well-known/jwks.json"),
      mediaType: "application/jose",
    },
    async ({ caller, params }) => {
      const receipt = await within(caller, (tx, principal) => readReceipt(tx, principal, params.id));
      const { db, seal } = await services();
      return new Response(await signReceipt(db, seal, receipt), {
        headers: {
          "content-type": "application/jose",
          "content-disposition": `attachment; filename="receipt-${receipt.request.id}.jws"`,
          "cache-control": "private, no-store",
        },
      });
    },
  ),
});
