import { meSchema } from "@/lib/people/members/member-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "any", inKeyScope: true, summary: "Who calls; `user` is null for an API key", output: meSchema },
    async ({ caller }) => caller.me,
  ),
});
