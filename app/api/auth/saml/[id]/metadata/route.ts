import { z } from "zod";
import { samlMetadata } from "@/lib/web/auth/sign-in/saml.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "Intray's SAML metadata for a provider",
      params: z.object({ id: z.string() }),
      mediaType: "application/samlmetadata+xml",
    },
    ({ params }) => samlMetadata(params.id),
  ),
});
