import { endpoint } from "@/lib/web/http/route.ts";
import { notImplemented } from "@/lib/web/scim/scim.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: notImplemented("Bulk operations are not supported: send each call by itself."),
});
