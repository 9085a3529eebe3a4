import { askTest } from "@/lib/outbound/push/device-writes.ts";
import { requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "Send one of your devices a test. The list says once the device has shown it; sessions only",
      params: idParams,
      status: 202,
      errors: ["throttled"],
    },
    async ({ caller, params }) => {
      const { userId } = requireBrowserSession(caller).principal;
      await throttle(`check ${userId}`, CHECKS_PER_CALLER);
      await within(caller, (tx) => askTest(tx, userId, params.id));
    },
  ),
});
