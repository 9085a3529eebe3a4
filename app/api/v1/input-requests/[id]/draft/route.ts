import { z } from "zod";
import { draftInputSchema } from "@/lib/input-requests/schema.ts";
import { saveDraft } from "@/lib/input-requests/transitions.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: route(
    {
      auth: "approver",
      summary: "Keep a half-filled form and comment for oneself, or neither; nothing is ever sent from it",
      params: idParams,
      body: draftInputSchema,
      output: z.object({ savedAt: z.iso.datetime().nullable() }),
      errors: ["already_answered", "no_longer_open", "unsupported_form"],
    },
    async ({ caller, params, body }) => {
      const savedAt = await within(caller, (organizationId, tx, principal) =>
        saveDraft(organizationId, tx, principal, params.id, body),
      );
      return { savedAt: savedAt?.toISOString() ?? null };
    },
  ),
});
