import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { browserFailureSchema, logBrowserFailure } from "@/lib/web/pages/page-failure.ts";
import { PAGE_FAILURES_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "any",
      summary: "Log a page that failed in a browser, under the id that it shows",
      inView: true,
      body: browserFailureSchema,
      errors: ["throttled"],
    },
    async ({ caller: { principal }, body }) => {
      await throttle(`page failure ${principal.actor.id}`, PAGE_FAILURES_PER_CALLER);
      logBrowserFailure(principal, body);
    },
  ),
});
