import { chooseOrganizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { chooseOrganization } from "@/lib/web/auth/own-organizations.ts";
import { clientAddress } from "@/lib/web/http/client-address.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: route(
    {
      auth: "any",
      whileRefused: true,
      summary: "Switch this session to another of your organizations; sessions only",
      body: chooseOrganizationSchema,
      errors: ["forbidden", "not_found"],
      fromAnywhere: true,
    },
    async ({ request, caller, body }) => {
      const address = clientAddress(request.headers.get("x-forwarded-for"));
      await chooseOrganization(caller, body.organizationId, address);
    },
  ),
});
