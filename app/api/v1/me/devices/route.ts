import { addDevice, listDevices, seeDevice } from "@/lib/outbound/push/device-writes.ts";
import { pushPublicKey } from "@/lib/outbound/push/push-key.ts";
import {
  addDeviceSchema,
  devicesSchema,
  seeDeviceSchema,
  seenDeviceSchema,
} from "@/lib/outbound/push/push-schema.ts";
import { holdCredential, requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services, within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "The browsers that show you push notifications of this organization; sessions only",
      output: devicesSchema,
    },
    async ({ caller }) => {
      const { principal, sessionId } = requireBrowserSession(caller);
      const { db, seal } = await services();
      const publicKey = await pushPublicKey(db, seal);
      return within(caller, (tx) => listDevices(tx, { userId: principal.userId, sessionId }, publicKey));
    },
  ),
  POST: route(
    {
      auth: "account:use",
      summary: "Turn on push notifications in this browser, with its push subscription; sessions only",
      body: addDeviceSchema,
      output: seenDeviceSchema,
      status: 201,
      errors: ["address_not_allowed", "too_many_devices", "throttled"],
    },
    async ({ request, caller, body }) => {
      const { principal, sessionId } = requireBrowserSession(caller);
      await throttle(`check ${principal.actor.id}`, CHECKS_PER_CALLER);
      const { network, seal } = await services();
      const userAgent = request.headers.get("user-agent");
      const id = await within(caller, async (tx) => {
        await holdCredential(tx, caller);
        const person = { userId: principal.userId, sessionId };
        return addDevice(tx, { network, seal }, person, { subscription: body, userAgent });
      });
      return { id };
    },
  ),
  PUT: route(
    {
      auth: "account:use",
      summary:
        "Report that this browser still has its push subscription. A null id means that it is none of your devices here",
      body: seeDeviceSchema,
      output: seenDeviceSchema,
      unattended: true,
    },
    async ({ caller, body }) => {
      const { principal, sessionId } = requireBrowserSession(caller);
      const { seal } = await services();
      const id = await within(caller, async (tx) => {
        await holdCredential(tx, caller);
        return seeDevice(tx, seal, { userId: principal.userId, sessionId }, body.endpoint);
      });
      return { id };
    },
  ),
});
