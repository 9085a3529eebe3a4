import { z } from "zod";
import { ownAccountSchema, sendingSchema } from "../channel/account-schema.ts";

const guid = (message: string) => z.string().trim().max(36, message).toLowerCase().pipe(z.guid(message));

/** What an admin copies from the app's registration at entra.microsoft.com. */
export const setUpTeamsSchema = z.strictObject({
  appId: guid("Paste the Application (client) ID"),
  tenantId: guid("Paste the Directory (tenant) ID"),
  clientSecret: z.string().trim().min(8, "Paste the Value of a client secret").max(300),
});
export type SetUpTeams = z.infer<typeof setUpTeamsSchema>;

/** The organization's app, as admins see it. */
export const teamsSchema = z.object({
  app: sendingSchema.extend({ appId: z.string(), tenantId: z.string() }).nullable(),
  /** To be entered at Microsoft: where Teams sends presses, and where the browser comes back to. */
  messagingEndpoint: z.string(),
  redirectUri: z.string(),
});
export type Teams = z.infer<typeof teamsSchema>;

/** A member's own account at Teams. */
export const ownTeamsSchema = z.object({
  /** The organization's tenant. Null: nobody has set Teams up, or Microsoft takes the secret no more. */
  tenant: z.string().nullable(),
  account: ownAccountSchema
    .extend({
      /** The member has added the app in Teams, so that it can write to them. */
      hasApp: z.boolean(),
    })
    .nullable(),
});
export type OwnTeams = z.infer<typeof ownTeamsSchema>;

/** Of a link that did not come about, in the address of the settings page. */
export type LinkRefusal = "signed_out" | "cancelled" | "refused" | "other_tenant" | "taken";

/** Where people come back to from Microsoft's sign-in. */
export const CALLBACK_PATH = "/oauth/teams";

export const messagingPath = (organizationId: string): string => `/api/v1/teams/${organizationId}/messages`;

/** Describes the app to Teams; the file of this name in the package that an admin uploads (https://aka.ms/teams-manifest). */
export function teamsManifest(appId: string, appUrl: string): string {
  const { hostname } = new URL(appUrl);
  const manifest = {
    $schema: "https://developer.microsoft.com/json-schemas/teams/v1.19/MicrosoftTeams.schema.json",
    manifestVersion: "1.19",
    version: "1.0.0",
    id: appId,
    developer: { name: "Intray", websiteUrl: appUrl, privacyUrl: appUrl, termsOfUseUrl: appUrl },
    name: { short: "Intray", full: "Intray" },
    description: {
      short: "Requests that wait for you",
      full: "Requests that wait for you, and how they end.",
    },
    icons: { color: "color.png", outline: "outline.png" },
    accentColor: "#FFFFFF",
    bots: [{ botId: appId, scopes: ["personal"], isNotificationOnly: false, supportsFiles: false }],
    permissions: ["identity", "messageTeamMembers"],
    validDomains: [hostname],
  };
  return JSON.stringify(manifest, null, 2);
}
