import { z } from "zod";
import { saveDraft } from "@/lib/requests/draft-writes.ts";
import { draftInputSchema } from "@/lib/requests/request-input-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: route(
    {
      auth: "requests:answer",
      summary: "Store your own half-filled form and comment, or delete them. A draft is never sent",
      params: idParams,
      body: draftInputSchema,
      headers: {
        prefer:
          "`return=representation` (RFC 7240): reply 200 with the time at which the draft was stored, instead of 204.",
      },
      output: z.object({ savedAt: z.iso.datetime().nullable() }),
      status: 204,
      alsoStatuses: [200],
      errors: ["already_answered", "no_longer_open", "unsupported_form"],
    },
    async ({ request, caller, params, body, reply }) => {
      const savedAt = await within(caller, (tx, principal) => saveDraft(tx, principal, params.id, body));
      if (!request.headers.get("prefer")?.includes("return=representation"))
        return new Response(null, { status: 204 });
      reply.status = 200;
      return { savedAt: savedAt?.toISOString() ?? null };
    },
  ),
});
