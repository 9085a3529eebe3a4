import { z } from "zod";
import { setupRequestSchema } from "@/lib/people/members/member-schema.ts";
import { setUpWithToken } from "@/lib/web/auth/setup.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { PASSWORD_SET_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "Make the first organization and its owner, with the setup token. A demonstration ends for good",
      body: setupRequestSchema,
      output: z.object({ slug: z.string() }),
      status: 201,
      errors: ["already_set_up", "setup_closed", "wrong_setup_token"],
      rateLimit: { name: "setup", ...PASSWORD_SET_PER_ADDRESS },
    },
    ({ body }) => setUpWithToken(body),
  ),
});
