import { readiness, readinessQuerySchema, readinessSchema } from "@/lib/web/http/readiness.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      uncounted: true,
      summary:
        "Whether the database, the migrations and an engine are ready; with part=web, without the engine",
      query: readinessQuerySchema,
      output: readinessSchema,
      alsoStatuses: [503],
    },
    async ({ query, reply }) => {
      const found = await readiness(query.part);
      if (!found.ready) reply.status = 503;
      return found;
    },
  ),
});
