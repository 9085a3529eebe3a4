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
        "The answers of automatic rules, and those in shadow, beside people's decisions; newest request first",
      query: automaticDecisionsQuerySchema,
      output: automaticDecisionsSchema,
    },
    (tx, { principal, query }) => listAutomaticDecisions(tx, principal, query),
  ),
});
