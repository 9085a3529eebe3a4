import { notFound } from "@/lib/base/errors.ts";
import { directoryGroupSchema, mapGroupSchema } from "@/lib/people/directory/directory-schema.ts";
import { mapGroup } from "@/lib/people/directory/directory-writes.ts";
import { listMappedGroups } from "@/lib/people/directory/groups.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: tenantRoute(
    {
      auth: "directory:manage",
      summary: "Set the role that a group of the directory gives to its members, at once",
      params: idParams,
      body: mapGroupSchema,
      output: directoryGroupSchema,
      stepUp: true,
    },
    async (tx, { principal, params, body }) => {
      await mapGroup(tx, principal, params.id, body.role);
      const group = (await listMappedGroups(tx)).find(({ id }) => id === params.id);
      if (!group) throw notFound("group");
      return group;
    },
  ),
});
