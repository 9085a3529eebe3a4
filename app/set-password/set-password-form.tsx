"use client";

import { z } from "zod";
import { NewPasswordField } from "@/components/form/new-password-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { api } from "@/lib/api-client/base/client.ts";
import { passwordSchema } from "@/lib/members/schema.ts";

const schema = z.object({ password: passwordSchema });

export function SetPasswordForm({ token, onSet }: { token: string; onSet: () => void }) {
  const { form, errors, failure, pending, blocked, onSubmit } = useForm({
    schema,
    read: (data) => Object.fromEntries(data),
    sentences: { link_expired: "This link was used or has expired. Ask whoever runs Intray for a new link." },
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
