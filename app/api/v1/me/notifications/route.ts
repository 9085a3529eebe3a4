import { env } from "@/lib/base/env.ts";
import { noticeSettingsSchema, updateNoticeSettingsSchema } from "@/lib/outbound/notices/notice-schema.ts";
import { readNoticeSettings, setNoticeSettings } from "@/lib/outbound/notices/settings.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

const sendsMail = () => env().smtpUrl !== undefined;

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "account:use",
      summary: "Which notifications and which digest you get; members only",
      output: noticeSettingsSchema,
    },
    (tx, { principal }) => readNoticeSettings(tx, principal, sendsMail()),
  ),
  PATCH: tenantRoute(
    {
      auth: "account:use",
      summary: "Change which notifications you get, or the daily digest; members only",
      body: updateNoticeSettingsSchema,
      output: noticeSettingsSchema,
    },
    async (tx, { principal, body }) => {
      await setNoticeSettings(tx, principal, body);
      return readNoticeSettings(tx, principal, sendsMail());
    },
  ),
});
