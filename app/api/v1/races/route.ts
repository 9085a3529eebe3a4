import { raceSchema, startRaceSchema } from "@/lib/lifecycle/races/race-schema.ts";
import { startRace } from "@/lib/lifecycle/races/start-race.ts";
import { idempotencyHeader, readIdempotencyKey } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "tasks:start",
      summary: "Start the same call on several servers: the first success wins, the others are cancelled",
      headers: idempotencyHeader,
      body: startRaceSchema,
      output: raceSchema,
      status: 201,
      alsoStatuses: [200],
      errors: [
        "not_found",
        "not_connected",
        "unknown_tool",
        "invalid_arguments",
        "tool_changed",
        "denied_by_rule",
        "idempotency_mismatch",
        "server_unavailable",
        "quota_exceeded",
      ],
    },
    async ({ caller, request, body, reply }) => {
      const { race, created } = await startRace(await services(), caller.principal, {
        ...body,
        ttlMs: body.ttlMs ?? null,
        idempotencyKey: readIdempotencyKey(request),
      });
      if (!created) reply.status = 200;
      reply.headers.set("location", `/api/v1/races/${race.id}`);
      return race;
    },
  ),
});
