import { headers } from "next/headers";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { LinkOver } from "@/components/shell/pages/link-over.tsx";
import { lookAtPasswordLink } from "@/lib/web/auth/look-at-password-link.ts";
import { SetPasswordForm } from "./set-password-form.tsx";

// The URL contains the token: no referrer may pass it to another site.
export const metadata = { title: "Set your password", referrer: "no-referrer" as const };

export default async function SetPasswordPage({
  searchParams,
}: {
  searchParams: Promise<{ token?: string | string[] }>;
}) {
  const { token } = await searchParams;
  if (typeof token !== "string" || token === "")
    return (
      <LinkOver
        title="This link is incomplete"
        next="Open it again from the message it came in. If that fails, ask whoever runs Intray for a new link."
      />
    );
  const state = await lookAtPasswordLink(token, (await headers()).get("x-forwarded-for"));
  if (state === "throttled")
    return <LinkOver title="Too many tries" next="Wait a minute, then open the link again." />;
  if (state === "over")
    return (
      <LinkOver
        title="This link has expired"
        next="Each link works once, for a limited time. Ask whoever runs Intray for a new link."
      />
    );
  return (
    <FrontPage title="Set your password" intro="Then sign in with it.">
      <SetPasswordForm token={token} />
    </FrontPage>
  );
}
