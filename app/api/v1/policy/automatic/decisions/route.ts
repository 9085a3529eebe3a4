import { listAutomaticDecisions } from "@/lib/requests/automatic/automatic-answer-reads.ts";
import {
  automaticDecisionsQuerySchema,
  automaticDecisionsSchema,
} from "@/lib/requests/automatic/automatic-answer-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "settings:manage",
      summary:
        "What automatic rules have answered or would have, beside what people did; newest request first",
      query: automaticDecisionsQuerySchema,
      output: automaticDecisionsSchema,
    },
    (tx, { principal, query }) => listAutomaticDecisions(tx, principal, query),
  ),
});
