import { leave } from "@/lib/people/members/departure.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "account:use",
      summary: "Leave the organization; members only. The last owner can't",
      stepUp: true,
      errors: ["last_owner"],
    },
    async ({ caller }) => {
      await leave(await services(), caller.principal);
    },
  ),
});
