"use client";

import { z } from "zod";
import { api } from "@/components/api/client.ts";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { passwordSchema } from "@/lib/members/schema.ts";

const schema = z.object({ password: passwordSchema });

export function SetPasswordForm({ token }: { token: string }) {
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema,
    read: (data) => Object.fromEntries(data),
    sentences: { link_expired: "This link was used or has expired. Ask an admin for a new one." },
    send: async ({ password }) => {
      await api.post("/api/set-password", { token, password });
      window.location.assign("/sign-in");
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <TextField
        name="password"
        label="New password"
        description="At least 10 characters."
        type="password"
        autoComplete="new-password"
        error={errors.password}
      />
      <Button type="submit" variant="primary" className="mt-2" disabled={pending}>
        {pending ? "Saving…" : "Save password"}
      </Button>
    </form>
  );
}
