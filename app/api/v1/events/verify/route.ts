import { verifyEvents } from "@/lib/events/queries.ts";
import { verificationSchema } from "@/lib/events/schema.ts";
import { endpoint, route } from "@/lib/web/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "events:read",
      summary: "Whether the history's chain of hashes holds",
      output: verificationSchema,
    },
    ({ caller }) => within(caller, verifyEvents),
  ),
});
