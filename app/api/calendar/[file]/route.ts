import { createHash } from "node:crypto";
import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { readCalendarFeed } from "@/lib/outbound/calendar-feed/feed-writes.ts";
import { database } from "@/lib/web/database.ts";
import { clientAddress } from "@/lib/web/http/client-address.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { CALENDARS_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary:
        "A member's calendar, by their private address: when requests that wait for them are due or end. Takes `If-None-Match`",
      params: z.object({ file: z.string() }),
      mediaType: "text/calendar; charset=utf-8",
      headers: { "if-none-match": "The `ETag` of the calendar that you have" },
      errors: ["not_found", "throttled"],
      rateLimit: { name: "calendar", ...CALENDARS_PER_ADDRESS },
      secretPath: true,
    },
    async ({ request, params }) => {
      const address = clientAddress(request.headers.get("x-forwarded-for"));
      const calendar = await readCalendarFeed(await database(), {
        ...{ file: params.file, address, appUrl: env().url },
      });
      const etag = `"${createHash("sha256").update(calendar).digest("base64url")}"`;
      const headers = { etag, "cache-control": "private, no-cache" };
      if (hasIt(request.headers.get("if-none-match"), etag))
        return new Response(null, { status: 304, headers });
      return new Response(calendar, {
        headers: {
          ...headers,
          "content-type": "text/calendar; charset=utf-8",
          "content-disposition": 'attachment; filename="intray.ics"',
        },
      });
    },
  ),
});

/** Weakly, as RFC 9110 has it for `If-None-Match`: a proxy that packs an answer weakens its tag. */
function hasIt(given: string | null, etag: string): boolean {
  return (given ?? "").split(",").some((each) => ["*", etag].includes(each.trim().replace(/^W\//, "")));
}
