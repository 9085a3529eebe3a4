import { createHumanRequest } from "@/lib/lifecycle/human-tasks/create-human-request.ts";
import { createdRequestSchema, createRequestSchema } from "@/lib/lifecycle/human-tasks/human-task-schema.ts";
import { idempotencyHeader, readIdempotencyKey } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:ask",
      summary:
        "Ask people a question, or for an approval; 200 with the earlier request if the key was used before",
      headers: idempotencyHeader,
      body: createRequestSchema,
      // People decide by what Intray reads, and the program makes the call by its own text.
      strictBody: true,
      output: createdRequestSchema,
      status: 201,
      alsoStatuses: [200],
      errors: ["address_not_allowed", "four_eyes", "idempotency_mismatch", "quota_exceeded"],
    },
    async ({ caller, request, body, reply }) => {
      const made = await createHumanRequest(
        await services(),
        caller.principal,
        body,
        readIdempotencyKey(request),
      );
      if (!made.created) reply.status = 200;
      reply.headers.set("location", `/api/v1/requests/${made.request.id}`);
      return made.request;
    },
  ),
});
