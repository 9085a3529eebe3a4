import { removeDevice, setShowsText } from "@/lib/outbound/push/device-writes.ts";
import { updateDeviceSchema } from "@/lib/outbound/push/push-schema.ts";
import { requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: route(
    {
      auth: "account:use",
      summary:
        "Choose whether one of your devices shows the text of questions, if the organization allows it; sessions only",
      params: idParams,
      body: updateDeviceSchema,
    },
    async ({ caller, params, body }) => {
      const { userId } = requireBrowserSession(caller).principal;
      await within(caller, (tx) => setShowsText(tx, userId, params.id, body.showsText));
    },
  ),
  DELETE: route(
    { auth: "account:use", summary: "Remove one of your devices; sessions only", params: idParams },
    async ({ caller, params }) => {
      const { userId } = requireBrowserSession(caller).principal;
      await within(caller, (tx) => removeDevice(tx, userId, params.id));
    },
  ),
});
