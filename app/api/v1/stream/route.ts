import { z } from "zod";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { openStream } from "@/lib/web/live/stream.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "any",
      inView: true,
      uncounted: true,
      unattended: true,
      summary: "Hints of changes, as server-sent events named `change`; then read the thing itself",
      output: z.object({ topic: z.string(), id: z.string() }),
      mediaType: "text/event-stream",
      errors: ["throttled"],
    },
    async ({ caller, request }) => openStream(caller, request),
  ),
});
