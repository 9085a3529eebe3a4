import { readDirectory } from "@/lib/people/directory/directory-reads.ts";
import { directorySchema, updateDirectorySchema } from "@/lib/people/directory/directory-schema.ts";
import { updateDirectory } from "@/lib/people/directory/directory-writes.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { scimBase } from "@/lib/web/scim/scim.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "directory:manage",
      summary: "The directory (SCIM), and its latest activity",
      output: directorySchema,
    },
    (tx) => readDirectory(tx, scimBase()),
  ),
  PATCH: tenantRoute(
    {
      auth: "directory:manage",
      summary: "Change the default role of the directory's people, or whether it manages owners",
      body: updateDirectorySchema,
      output: directorySchema,
      stepUp: true,
    },
    async (tx, { principal, body }) => {
      await updateDirectory(tx, principal, body);
      return readDirectory(tx, scimBase());
    },
  ),
});
