import { askTest } from "@/lib/outbound/channel/account-writes.ts";
import { TEAMS } from "@/lib/outbound/channel/platforms.ts";
import { requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "Send yourself a test at Teams. GET /me/teams says once it was delivered; sessions only",
      status: 202,
      errors: ["throttled"],
    },
    async ({ caller }) => {
      const { userId } = requireBrowserSession(caller).principal;
      await throttle(`check ${userId}`, CHECKS_PER_CALLER);
      await within(caller, (tx) => askTest(TEAMS, tx, userId));
    },
  ),
});
