import { resumeAutomatic } from "@/lib/requests/automatic/stop-automatic.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "owners:manage",
      stepUp: true,
      summary: "Resume automatic answers, as an owner in person",
    },
    ({ caller }) => within(caller, resumeAutomatic),
  ),
});
