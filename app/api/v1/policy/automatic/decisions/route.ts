import { listAutomaticDecisions } from "@/lib/requests/automatic/automatic-answer-reads.ts";
import {
  automaticDecisionsQuerySchema,
  automaticDecisionsSchema,
} from "@/lib/requests/automatic/automatic-answer-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary:
        "What automatic rules have answered or would have, beside what people did; newest request first",
      query: automaticDecisionsQuerySchema,
      output: automaticDecisionsSchema,
    },
    ({ caller, query }) => within(caller, (tx, principal) => listAutomaticDecisions(tx, principal, query)),
  ),
});
