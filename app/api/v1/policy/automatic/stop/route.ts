import { stoppedSchema } from "@/lib/requests/automatic/automatic-answer-schema.ts";
import { stopAutomatic } from "@/lib/requests/automatic/stop-automatic.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      summary: "Stop all automatic answers at once, and take back those that were not sent yet",
      output: stoppedSchema,
    },
    ({ caller }) => within(caller, stopAutomatic),
  ),
});
