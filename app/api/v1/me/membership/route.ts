import { leaveOrganization } from "@/lib/members/transitions.ts";
import { endpoint, route } from "@/lib/web/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "account:use",
      summary: "Leave the organization; members only. The last owner can't",
      errors: ["last_owner"],
    },
    async ({ caller }) => {
      await within(caller, leaveOrganization);
      return undefined;
    },
  ),
});
