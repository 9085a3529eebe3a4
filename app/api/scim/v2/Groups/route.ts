import { endpoint } from "@/lib/web/http/route.ts";
import { createOneGroup, listAllGroups } from "@/lib/web/scim/groups.ts";
import { scim } from "@/lib/web/scim/scim.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: scim("Groups, oldest first", listAllGroups),
  POST: scim("Make a group", createOneGroup),
});
