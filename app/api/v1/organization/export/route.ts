import { exportedLineSchema } from "@/lib/people/organizations/organization-schema.ts";
import { exportOrganization } from "@/lib/web/exports/organization-export.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "organization:export",
      stepUp: true,
      namedByKeys: true,
      summary:
        "Everything of the organization except its secrets, one JSON object a line. The last one is `end`",
      output: exportedLineSchema,
      mediaType: "application/x-ndjson",
      leavesTrace: true,
    },
    async ({ caller, request }) =>
      new Response(await exportOrganization(caller, request), {
        headers: {
          "content-type": "application/x-ndjson",
          "content-disposition": `attachment; filename="${caller.me.organization.slug}.ndjson"`,
        },
      }),
  ),
});
