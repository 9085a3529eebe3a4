import { z } from "zod";
import { setupInputSchema } from "@/lib/members/schema.ts";
import { setUp } from "@/lib/organizations/setup.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/route.ts";
import { PASSWORD_SET_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary: "Make the first organization and its owner; ends a demonstration for good",
      body: setupInputSchema,
      output: z.object({ slug: z.string() }),
      status: 201,
      errors: ["already_set_up"],
      rateLimit: { name: "setup", ...PASSWORD_SET_PER_ADDRESS },
    },
    async ({ body }) => setUp(await database(), body),
  ),
});
