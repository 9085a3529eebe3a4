import { endpoint, route } from "@/lib/web/http/route.ts";
import { arrive } from "./arrive.ts";

/** The redirect URI that all issuers shared before they had their own. Only clients of then come back here. */
export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "none", summary: "The way back for client ids entered in earlier versions", status: 303 },
    ({ request }) => arrive(request),
  ),
});
