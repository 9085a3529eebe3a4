import { chooseOrganizationSchema } from "@/lib/organizations/schema.ts";
import { chooseOrganization } from "@/lib/web/auth/choose-organization.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: route(
    {
      auth: "any",
      whileRefused: true,
      summary: "Work in another organization of yours from now on, in this session; sessions only",
      body: chooseOrganizationSchema,
      errors: ["forbidden", "not_found"],
    },
    async ({ caller, body }) => {
      await chooseOrganization(caller, body.organizationId);
      return undefined;
    },
  ),
});
