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
      summary: "Hints of what changed, as server-sent events named `change`; read the thing itself then",
      output: z.object({ topic: z.string(), id: z.string() }),
      mediaType: "text/event-stream",
      errors: ["throttled"],
    },
    async ({ caller, request }) => openStream(caller, request),
  ),
});
