import { undoMany } from "@/lib/requests/answers/bulk-answers.ts";
import { bulkUndoInputSchema, bulkUndoResultSchema } from "@/lib/requests/request-input-schema.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:answer",
      summary: "Take many answers back while they are held, each on its own",
      body: bulkUndoInputSchema,
      output: bulkUndoResultSchema,
    },
    async ({ caller: { principal }, body }) =>
      undoMany(principal.organizationId, await database(), principal, body.ids),
  ),
});
