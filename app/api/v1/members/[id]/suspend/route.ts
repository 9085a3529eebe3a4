import { suspend } from "@/lib/people/members/departure.ts";
import { readSuspended } from "@/lib/people/members/member-reads.ts";
import { memberSchema } from "@/lib/people/members/member-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "members:manage",
      stepUp: true,
      summary: "Suspend a member: like ending the membership, but it can be brought back",
      params: idParams,
      output: memberSchema,
      errors: ["last_owner"],
    },
    async ({ caller, params }) => {
      await suspend(await services(), caller.principal, params.id);
      return within(caller, (tx, principal) => readSuspended(tx, principal, params.id));
    },
  ),
});
