import { readDirectory } from "@/lib/people/directory/directory-reads.ts";
import { makeDirectoryTokenSchema, newDirectorySchema } from "@/lib/people/directory/directory-schema.ts";
import { makeDirectoryToken, revokeDirectoryToken } from "@/lib/people/directory/directory-writes.ts";
import { holdCredential } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { scimBase } from "@/lib/web/scim/scim.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "directory:manage",
      summary: "Make the directory's token, or give it a new secret; in person",
      body: makeDirectoryTokenSchema,
      output: newDirectorySchema,
      status: 201,
      stepUp: true,
    },
    async (tx, { principal, caller, body }) => {
      await holdCredential(tx, caller);
      const secret = await makeDirectoryToken(tx, principal, body);
      return { ...(await readDirectory(tx, scimBase())), secret };
    },
  ),
  DELETE: route({ auth: "directory:manage", summary: "End the directory's token at once" }, ({ caller }) =>
    within(caller, revokeDirectoryToken),
  ),
});
