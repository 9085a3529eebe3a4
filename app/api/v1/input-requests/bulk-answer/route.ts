import { answerMany } from "@/lib/requests/answers/bulk-answers.ts";
import { bulkAnswerInputSchema, bulkAnswerResultSchema } from "@/lib/requests/request-input-schema.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { STEP_UP_MS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:answer",
      summary: "Give the same answer to many requests that are alike. Each is recorded or refused on its own",
      body: bulkAnswerInputSchema,
      output: bulkAnswerResultSchema,
      errors: ["not_alike", "invalid_content"],
    },
    async ({ caller: { principal, sessionId }, body }) =>
      answerMany(principal.organizationId, await database(), principal, body, {
        sessionId,
        withinMs: STEP_UP_MS,
      }),
  ),
});
