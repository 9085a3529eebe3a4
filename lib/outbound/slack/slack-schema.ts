import { z } from "zod";
import { ownAccountSchema, sendingSchema } from "../channel/account-schema.ts";

/** What an admin copies from the app's pages at api.slack.com. */
export const setUpSlackSchema = z.strictObject({
  botToken: z
    .string()
    .trim()
    .regex(/^xoxb-[\w-]{8,300}$/, "Paste the Bot User OAuth Token, which begins with xoxb-"),
  signingSecret: z
    .string()
    .trim()
    .regex(/^[0-9a-f]{32}$/, "Paste the Signing Secret, 32 characters"),
  clientId: z
    .string()
    .trim()
    .regex(/^\d{1,30}\.\d{1,30}$/, "Paste the Client ID, two numbers with a dot between them"),
  clientSecret: z
    .string()
    .trim()
    .regex(/^[0-9a-f]{32}$/, "Paste the Client Secret, 32 characters"),
  /** For Socket Mode: Intray opens a socket to Slack, and Slack does not call Intray. */
  appToken: z
    .string()
    .trim()
    .regex(/^xapp-[\w-]{8,300}$/, "Paste an App-Level Token, which begins with xapp-")
    .optional(),
});
export type SetUpSlack = z.infer<typeof setUpSlackSchema>;

/** The organization's app, as admins see it. */
export const slackSchema = z.object({
  app: sendingSchema
    .extend({
      team: z.string(),
      bot: z.string(),
      /** Socket Mode. Null: Slack calls Intray. `since`: when the socket was opened; null: it is not open, as `error` says. */
      socket: z.object({ since: z.iso.datetime().nullable(), error: z.string().nullable() }).nullable(),
    })
    .nullable(),
  /** To be pasted at api.slack.com/apps. */
  manifest: z.string(),
});
export type Slack = z.infer<typeof slackSchema>;

/** A member's own account at Slack. */
export const ownSlackSchema = z.object({
  /** The organization's workspace. Null: nobody has set Slack up, or Slack takes the token no more. */
  team: z.string().nullable(),
  account: ownAccountSchema.nullable(),
});
export type OwnSlack = z.infer<typeof ownSlackSchema>;

/** Of a link that did not come about, in the address of the settings page. */
export type LinkRefusal = "signed_out" | "cancelled" | "refused" | "other_workspace" | "taken";

/** Where people and Slack come back to. */
export const CALLBACK_PATH = "/oauth/slack";

/** Describes the app to Slack, which makes it (https://docs.slack.dev/reference/app-manifest). */
export function slackManifest(appUrl: string, organizationId: string): string {
  const manifest = {
    display_information: { name: "Intray", description: "Requests that wait for you" },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      bot_user: { display_name: "Intray", always_online: false },
    },
    oauth_config: {
      redirect_urls: [appUrl + CALLBACK_PATH],
      scopes: { bot: ["chat:write", "im:history", "im:write"], user: ["openid", "profile"] },
    },
    settings: {
      interactivity: {
        is_enabled: true,
        request_url: `${appUrl}/api/v1/slack/${organizationId}/interactions`,
      },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
  return JSON.stringify(manifest, null, 2);
}
