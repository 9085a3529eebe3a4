import { z } from "zod";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "Whether the process is alive",
      uncounted: true,
      output: z.object({ status: z.literal("ok") }),
    },
    async () => ({ status: "ok" as const }),
  ),
});
