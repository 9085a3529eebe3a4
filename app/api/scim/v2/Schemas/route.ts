import { schemas } from "@/lib/people/directory/scim/discovery.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { definitions, scim } from "@/lib/web/scim/scim.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: scim("The attributes that the SCIM service keeps", (call) => definitions(call, schemas)),
});
