import { env } from "@/lib/base/env.ts";
import { calendarFeedSchema, madeFeedSchema } from "@/lib/outbound/calendar-feed/feed-schema.ts";
import { makeFeed, readFeed, removeFeed } from "@/lib/outbound/calendar-feed/feed-writes.ts";
import { holdCredential, requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "Whether you have a private calendar address in this organization; sessions only",
      output: calendarFeedSchema,
    },
    ({ caller }) => {
      const { userId } = requireBrowserSession(caller).principal;
      return within(caller, (tx) => readFeed(tx, userId));
    },
  ),
  POST: route(
    {
      auth: "account:use",
      summary:
        "Make your private calendar address. It replaces an earlier one, and is shown once; sessions only",
      stepUp: true,
      output: madeFeedSchema,
      status: 201,
    },
    async ({ caller }) => {
      const { userId } = requireBrowserSession(caller).principal;
      const path = await within(caller, async (tx) => {
        await holdCredential(tx, caller);
        return makeFeed(tx, userId);
      });
      return { url: env().url + path };
    },
  ),
  DELETE: route(
    { auth: "account:use", summary: "Remove your private calendar address; sessions only" },
    async ({ caller }) => {
      const { userId } = requireBrowserSession(caller).principal;
      await within(caller, (tx) => removeFeed(tx, userId));
    },
  ),
});
