import { endpoint } from "@/lib/web/http/route.ts";
import { notImplemented } from "@/lib/web/scim/scim.ts";

const none = notImplemented("A directory's token is nobody's: name a user.");

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: none,
  POST: none,
  PUT: none,
  PATCH: none,
  DELETE: none,
});
