import { uuidv7 } from "@/lib/base/ids.ts";
import { createInstance, findInstance, verifyReceiver } from "@/lib/lifecycle/aap/aap-instances.ts";
import { aapInstanceSchema, instanceInputSchema } from "@/lib/lifecycle/aap/aap-schema.ts";
import { AAP, requiredKey } from "@/lib/web/aap/aap.ts";
import { holdCredential } from "@/lib/web/auth/person.ts";
import { idempotencyHeader } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services, within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      ...AAP,
      auth: "keys:manage",
      stepUp: true,
      summary:
        "Agent Approval Protocol: register a program. It gets an API key that can only ask people. Intray checks its receiver first, if it has one",
      headers: idempotencyHeader,
      body: instanceInputSchema,
      output: aapInstanceSchema,
      status: 201,
      alsoStatuses: [200],
    },
    async ({ caller, request, body, reply }) => {
      const idempotencyKey = requiredKey(request);
      const { network, seal } = await services();
      const keyed = { principal: caller.principal, seal, idempotencyKey };
      const earlier = await within(caller, (tx) => findInstance(tx, keyed, body));
      const id = uuidv7();
      if (!earlier && body.delivery) {
        await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
        await verifyReceiver(network, id, body.delivery);
      }
      const { instance, created } = await within(caller, async (tx) => {
        await holdCredential(tx, caller);
        return createInstance(tx, keyed, id, body);
      });
      if (!created) reply.status = 200;
      return instance;
    },
  ),
});
