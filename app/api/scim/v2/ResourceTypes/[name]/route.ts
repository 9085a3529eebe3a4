import { resourceTypes } from "@/lib/people/directory/scim/discovery.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { definition, scim } from "@/lib/web/scim/scim.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: scim("One of them", (call) => definition(call, resourceTypes)),
});
