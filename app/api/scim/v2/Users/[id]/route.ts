import { endpoint } from "@/lib/web/http/route.ts";
import { scim } from "@/lib/web/scim/scim.ts";
import { deleteUser, patchUser, readUser, replaceUser } from "@/lib/web/scim/users.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: scim("A person", readUser, { isNamed: true }),
  PUT: scim("Write a person", replaceUser, { isNamed: true }),
  PATCH: scim("Change a person", patchUser, { isNamed: true }),
  DELETE: scim("Suspend a person and forget them", deleteUser, { isNamed: true }),
});
