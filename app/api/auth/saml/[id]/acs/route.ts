import { z } from "zod";
import { receiveSaml } from "@/lib/web/auth/sign-in/saml.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary: "Where SAML providers send browsers with their responses",
      params: z.object({ id: z.string() }),
      status: 303,
    },
    ({ request, params }) => receiveSaml(request, params.id),
  ),
});
