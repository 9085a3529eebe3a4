import { readCalendar } from "@/lib/policy/calendar/calendar-reads.ts";
import { calendarInputSchema, savedCalendarSchema } from "@/lib/policy/calendar/calendar-schema.ts";
import { saveCalendar } from "@/lib/policy/calendar/calendar-writes.ts";
import { readVersion, versionHeader } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The working calendar: zone, hours, holidays, and its version",
      output: savedCalendarSchema,
    },
    async ({ caller, reply }) => {
      const saved = await within(caller, readCalendar);
      reply.headers.set("etag", `"${saved.version}"`);
      return saved;
    },
  ),
  PUT: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Replace the working calendar; the times of open requests move with it",
      body: calendarInputSchema,
      output: savedCalendarSchema,
      headers: versionHeader,
      errors: ["version_changed", "version_required"],
    },
    async ({ caller, body, request, reply }) => {
      const version = readVersion(request);
      const saved = await within(caller, async (tx, principal) => {
        await saveCalendar(tx, principal, version, body.calendar);
        return readCalendar(tx);
      });
      reply.headers.set("etag", `"${saved.version}"`);
      return saved;
    },
  ),
});
