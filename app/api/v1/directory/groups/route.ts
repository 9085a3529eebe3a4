import { z } from "zod";
import { directoryGroupSchema } from "@/lib/people/directory/directory-schema.ts";
import { listMappedGroups } from "@/lib/people/directory/groups.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "directory:manage",
      summary: "The directory's groups by name, and the roles that they give",
      output: z.object({ items: z.array(directoryGroupSchema) }),
    },
    async (tx) => ({ items: await listMappedGroups(tx) }),
  ),
});
