import { noteShown } from "@/lib/outbound/push/device-writes.ts";
import { shownTestSchema } from "@/lib/outbound/push/push-schema.ts";
import { requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "Report that a device has shown a test; sessions only",
      params: idParams,
      body: shownTestSchema,
      unattended: true,
    },
    async ({ caller, params, body }) => {
      const { userId } = requireBrowserSession(caller).principal;
      await within(caller, (tx) => noteShown(tx, userId, params.id, body.testId));
    },
  ),
});
