import { z } from "zod";
import { runEngineOnce } from "@/lib/web/engine-run.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { ENGINE_RUN_MS } from "@/lib/web/tunables.ts";

/** For platforms that cut requests; in seconds. */
export const maxDuration = 60;

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary: "Run the engine for a bounded time, on platforms without long-lived processes",
      headers: { authorization: "`Bearer` and CRON_SECRET; without a CRON_SECRET the call does not exist" },
      output: z.object({ leases: z.number() }),
      errors: ["not_found", "unauthenticated", "engine_busy"],
    },
    ({ request }) =>
      // The engine and its credentials are loaded by this call alone.
      runEngineOnce(request.headers.get("authorization"), async () => {
        const { runEngineFor } = await import("@/lib/engine/run.ts");
        return runEngineFor(ENGINE_RUN_MS);
      }),
  ),
});
