import { z } from "zod";
import { policyJsonSchema } from "@/lib/policy/json-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "The JSON Schema of a policy, for editors; it names no tenant",
      output: z.record(z.string(), z.unknown()),
    },
    async ({ reply }) => {
      reply.headers.set("cache-control", "public, max-age=3600");
      return policyJsonSchema();
    },
  ),
});
