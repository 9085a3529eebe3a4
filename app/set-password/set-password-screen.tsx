"use client";

import { z } from "zod";
import { NewPasswordField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { LinkPending, useLookedAt } from "@/components/link/looked-at.tsx";
import { useLinkToken } from "@/components/link/use-link-token.ts";
import { FrontPage, LinkOver } from "@/components/shell/pages/front-page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { passwordSchema } from "@/lib/people/members/member-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

const schema = z.object({ password: passwordSchema });

function SetPasswordForm({ token, onSet }: { token: string; onSet: () => void }) {
  const { form, errors, failure, pending, blocked, onSubmit } = useForm({
    schema,
    read: (data) => Object.fromEntries(data),
    sentences: {
      link_expired: "This link was used or has expired. Ask the person who runs Intray for a new link.",
    },
    send: async ({ password }) => {
      await api.post("/api/set-password", { token, password });
      onSet();
      window.location.assign("/sign-in");
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <NewPasswordField label="New password" error={errors.password} />
      <Button type="submit" variant="primary" className="mt-2" disabled={blocked}>
        {pending ? "Saving…" : "Save password"}
      </Button>
    </form>
  );
}

/** The page that a link to a password opens. Viewing it changes nothing. */
export function SetPasswordScreen() {
  const link = useLinkToken("set-password");
  const state = useLookedAt<undefined>("/api/set-password/look", link);
  if (state.kind === "none")
    return (
      <LinkOver
        title="This link is incomplete"
        next="Open it again from the message it came in. If that fails, ask the person who runs Intray for a new link."
      />
    );
  if (state.kind === "over")
    return (
      <LinkOver
        title="This link no longer works"
        next="Each link works once, for a limited time. Ask the person who runs Intray for a new link."
      />
    );
  if (state.kind !== "found") return <LinkPending title="Set your password" state={state} />;
  return (
    <FrontPage title="Set your password" intro="Then sign in with your e-mail and this password.">
      <SetPasswordForm token={state.token} onSet={link.forget} />
    </FrontPage>
  );
}
