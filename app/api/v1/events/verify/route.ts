import { verificationSchema } from "@/lib/history/events/event-schema.ts";
import { reportBroken } from "@/lib/history/events/event-writes.ts";
import { verifyEvents } from "@/lib/history/events/verify.ts";
import { oneVerification } from "@/lib/web/exports/one-at-a-time.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "events:read",
      summary: "Whether the history's chain of hashes holds",
      output: verificationSchema,
      leavesTrace: true,
      errors: ["throttled"],
    },
    ({ caller }) =>
      oneVerification(caller.principal.organizationId, async () => {
        const found = await verifyEvents((work) => within(caller, (tx) => work(tx)));
        await within(caller, (tx, { actor }) => reportBroken(tx, actor, found));
        return found;
      }),
  ),
});
