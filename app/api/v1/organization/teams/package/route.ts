import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { notFound } from "@/lib/base/errors.ts";
import { readTeams } from "@/lib/outbound/teams/app-writes.ts";
import { teamsPackage } from "@/lib/outbound/teams/package.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The package of the Teams app, a zip file that an admin uploads to Teams",
      output: z.string().describe("A zip file"),
      mediaType: "application/zip",
    },
    async ({ caller }) => {
      const { app } = await within(caller, (tx) => readTeams(tx, env().url));
      if (!app) throw notFound("Teams app");
      return new Response(await teamsPackage(app.appId, env().url), {
        headers: {
          "content-type": "application/zip",
          "content-disposition": 'attachment; filename="intray-teams.zip"',
        },
      });
    },
  ),
});
