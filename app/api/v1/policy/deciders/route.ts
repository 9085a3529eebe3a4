import { readDeciders } from "@/lib/policy/deciders.ts";
import { decidersSchema } from "@/lib/policy/policy-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "Who could vote now in each stage of the policy, and who is away",
      output: decidersSchema,
    },
    ({ caller }) => within(caller, readDeciders),
  ),
});
