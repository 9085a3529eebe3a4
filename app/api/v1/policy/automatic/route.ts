import { readAutomatic } from "@/lib/requests/automatic/automatic-answer-reads.ts";
import { automaticStateSchema } from "@/lib/requests/automatic/automatic-answer-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "Whether automatic answers are stopped, and the record of each automatic rule",
      output: automaticStateSchema,
    },
    ({ caller }) => within(caller, readAutomatic),
  ),
});
