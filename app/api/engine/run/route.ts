import { z } from "zod";
import { runEngineOnce } from "@/lib/web/engine-run.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { ENGINE_RUN_MS } from "@/lib/web/tunables.ts";

/** Time limit of the request, in seconds, for platforms that impose one. */
export const maxDuration = 60;

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary: "Run the engine for a bounded time, on platforms without long-lived processes",
      headers: { authorization: "`Bearer` and CRON_SECRET. Without a CRON_SECRET this call does not exist" },
      output: z.object({ leases: z.number() }),
      errors: ["not_found", "unauthenticated", "engine_busy"],
    },
    ({ request }) =>
      // Only this call loads the engine and its credentials.
      runEngineOnce(request.headers.get("authorization"), async () => {
        const { runEngineFor } = await import("@/lib/engine/open-engine.ts");
        return runEngineFor(ENGINE_RUN_MS);
      }),
  ),
});
