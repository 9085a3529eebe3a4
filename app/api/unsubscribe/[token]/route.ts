import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { AppError, notFound } from "@/lib/base/errors.ts";
import { turnOffDigest } from "@/lib/outbound/digest/digest-writes.ts";
import { readUnsubscribeToken } from "@/lib/outbound/digest/unsubscribe.ts";
import { database } from "@/lib/web/database.ts";
import { readFormData } from "@/lib/web/http/body.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { UNSUBSCRIBES_PER_ADDRESS } from "@/lib/web/tunables.ts";

const params = z.object({ token: z.string() });
const rateLimit = { name: "unsubscribe", ...UNSUBSCRIBES_PER_ADDRESS };

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "Leads to the page with a button that turns the daily digest off. Changes nothing",
      params,
      status: 303,
      rateLimit,
      secretPath: true,
    },
    async ({ params, reply }) => {
      reply.headers.set("location", `${env().url}/unsubscribe#token=${encodeURIComponent(params.token)}`);
    },
  ),
  POST: route(
    {
      auth: "none",
      summary:
        "Turns a member's daily digest off, by the link of a mail (RFC 8058: `List-Unsubscribe=One-Click`)",
      params,
      takesFormData: true,
      errors: ["not_found", "invalid_input", "throttled"],
      rateLimit,
      secretPath: true,
    },
    async ({ request, params }) => {
      // A program that requests every link of a mail by every method sends no such form.
      if ((await readFormData(request)).get("List-Unsubscribe") !== "One-Click")
        throw new AppError("invalid_input", "Send the form List-Unsubscribe=One-Click.");
      const member = readUnsubscribeToken(sealing(), params.token);
      if (!member) throw notFound("digest");
      const db = await database();
      await db.withOrganization(member.organizationId, (tx) => turnOffDigest(tx, member.userId));
    },
  ),
});
