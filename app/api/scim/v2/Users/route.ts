import { endpoint } from "@/lib/web/http/route.ts";
import { scim } from "@/lib/web/scim/scim.ts";
import { createUser, listUsers } from "@/lib/web/scim/users.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: scim("People, oldest first", listUsers),
  POST: scim("Bring a person", createUser),
});
