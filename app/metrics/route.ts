import { z } from "zod";
import { metricsText, refuseWithoutToken } from "@/lib/web/http/metrics.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      uncounted: true,
      summary: "Figures of all processes, for Prometheus",
      headers: {
        authorization: "`Bearer` and METRICS_TOKEN. Without a METRICS_TOKEN this call does not exist",
      },
      output: z.string(),
      mediaType: "text/plain",
      errors: ["not_found", "unauthenticated"],
    },
    async ({ request }) => {
      refuseWithoutToken(request.headers.get("authorization"));
      return new Response(await metricsText(), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      });
    },
  ),
});
