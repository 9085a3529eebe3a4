import { env } from "@/lib/base/env.ts";
import { noticeSettingsSchema, updateNoticeSettingsSchema } from "@/lib/outbound/notices/notice-schema.ts";
import { readNoticeSettings, setNoticeSettings } from "@/lib/outbound/notices/settings.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

const sendsMail = () => env().smtpUrl !== undefined;

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "Which notifications and which digest you get; members only",
      output: noticeSettingsSchema,
    },
    ({ caller }) => within(caller, (tx, principal) => readNoticeSettings(tx, principal, sendsMail())),
  ),
  PATCH: route(
    {
      auth: "account:use",
      summary: "Change some of what you are told of, or the daily digest; members only",
      body: updateNoticeSettingsSchema,
      output: noticeSettingsSchema,
    },
    ({ caller, body }) =>
      within(caller, async (tx, principal) => {
        await setNoticeSettings(tx, principal, body);
        return readNoticeSettings(tx, principal, sendsMail());
      }),
  ),
});
