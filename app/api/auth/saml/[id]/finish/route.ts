import { z } from "zod";
import { finishSaml } from "@/lib/web/auth/sign-in/saml.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "The end of a SAML sign-in, in the browser that began it",
      params: z.object({ id: z.string() }),
      status: 303,
    },
    ({ request, params }) => finishSaml(request, params.id),
  ),
});
