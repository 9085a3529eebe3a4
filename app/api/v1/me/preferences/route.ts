import { preferencesSchema, updatePreferencesSchema } from "@/lib/people/members/member-schema.ts";
import { readPreferences, setPreferences } from "@/lib/people/members/preferences.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "account:use", summary: "Your preferences; members only", output: preferencesSchema },
    ({ caller }) => within(caller, readPreferences),
  ),
  PATCH: tenantRoute(
    {
      auth: "account:use",
      summary: "Change your preferences; members only",
      body: updatePreferencesSchema,
      output: preferencesSchema,
    },
    async (tx, { principal, body }) => {
      await setPreferences(tx, principal, body);
      return readPreferences(tx, principal);
    },
  ),
});
