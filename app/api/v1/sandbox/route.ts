import { askForSandbox, readSandboxState, sandboxSchema } from "@/lib/people/sandbox/sandbox.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "hosts:allow",
      summary: "Whether the installation has a sandbox organization; sessions only",
      output: sandboxSchema,
    },
    async ({ caller }) => readSandboxState((await services()).db, caller.principal),
  ),
  POST: route(
    {
      auth: "hosts:allow",
      summary: "Make a sandbox organization with the sample servers, under npm start; sessions only",
      output: sandboxSchema,
      errors: ["defined_by_operator"],
    },
    async ({ caller }) => askForSandbox((await services()).db, caller.principal),
  ),
});
