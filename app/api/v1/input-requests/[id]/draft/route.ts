import { draftInputSchema } from "@/lib/input-requests/schema.ts";
import { saveDraft } from "@/lib/input-requests/transitions.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: route(
    {
      auth: "approver",
      summary: "Keep a half-filled form for oneself; nothing is ever sent from it",
      params: idParams,
      body: draftInputSchema,
      errors: ["already_answered", "no_longer_open", "unsupported_form"],
    },
    async ({ caller, params, body }) => {
      await within(caller, (organizationId, tx, principal) =>
        saveDraft(organizationId, tx, principal, params.id, body.content),
      );
      return undefined;
    },
  ),
});
