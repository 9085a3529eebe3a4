"use client";

import { LinkPending } from "@/components/link/link-pending.tsx";
import { useLinkToken } from "@/components/link/use-link-token.ts";
import { useLookedAt } from "@/components/link/use-looked-at.ts";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { LinkOver } from "@/components/shell/pages/link-over.tsx";
import { SetPasswordForm } from "./set-password-form.tsx";

/** The page that a link to a password opens. Viewing it changes nothing. */
export function SetPasswordScreen() {
  const link = useLinkToken("set-password");
  const state = useLookedAt<undefined>("/api/set-password/look", link);
  if (state.kind === "none")
    return (
      <LinkOver
        title="This link is incomplete"
        next="Open it again from the message it came in. If that fails, ask whoever runs Intray for a new link."
      />
    );
  if (state.kind === "over")
    return (
      <LinkOver
        title="This link has expired"
        next="Each link works once, for a limited time. Ask whoever runs Intray for a new link."
      />
    );
  if (state.kind !== "found") return <LinkPending title="Set your password" state={state} />;
  return (
    <FrontPage title="Set your password" intro="Then sign in with it.">
      <SetPasswordForm token={state.token} onSet={link.forget} />
    </FrontPage>
  );
}
