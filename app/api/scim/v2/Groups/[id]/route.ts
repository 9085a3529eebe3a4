import { endpoint } from "@/lib/web/http/route.ts";
import { deleteGroup, patchOneGroup, readOneGroup, replaceGroup } from "@/lib/web/scim/groups.ts";
import { scim } from "@/lib/web/scim/scim.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: scim("A group", readOneGroup, { isNamed: true }),
  PUT: scim("Write a group", replaceGroup, { isNamed: true }),
  PATCH: scim("Change a group", patchOneGroup, { isNamed: true }),
  DELETE: scim("Remove a group", deleteGroup, { isNamed: true }),
});
