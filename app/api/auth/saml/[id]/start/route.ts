import { z } from "zod";
import { startSaml } from "@/lib/web/auth/sign-in/saml.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "Begin a sign-in at an organization's SAML provider, for browsers",
      params: z.object({ id: z.string() }),
      status: 303,
    },
    ({ request, params }) => startSaml(request, params.id),
  ),
});
