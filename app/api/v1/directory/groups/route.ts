import { z } from "zod";
import { listMappedGroups } from "@/lib/directory/groups.ts";
import { directoryGroupSchema } from "@/lib/directory/schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "directory:manage",
      summary: "The directory's groups by name, and the roles that they give",
      output: z.object({ items: z.array(directoryGroupSchema) }),
    },
    ({ caller }) => within(caller, async (tx) => ({ items: await listMappedGroups(tx) })),
  ),
});
