import { serviceProviderConfig } from "@/lib/people/directory/scim/discovery.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { scim, scimBase } from "@/lib/web/scim/scim.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: scim("What the SCIM service can do", async () => ({
    status: 200,
    body: serviceProviderConfig(scimBase()),
  })),
});
