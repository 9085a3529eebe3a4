"use client";

import { useQueryClient } from "@tanstack/react-query";
import { NewPasswordField } from "@/components/form/new-password-field.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { changePasswordSchema } from "@/lib/accounts/schema.ts";
import { sessions } from "@/lib/api-client/account.ts";
import { api } from "@/lib/api-client/base/client.ts";
import { Section } from "../section.tsx";

/** Changes the password; an account without one signs in another way. */
export function PasswordSection({ has }: { has: boolean }) {
  if (has) return <ChangePassword />;
  return (
    <Section title="Password">
      <p className="text-[13px] text-muted">
        Your account has none. If you want one, ask whoever runs Intray for a link to set it.
      </p>
    </Section>
  );
}

function ChangePassword() {
  const client = useQueryClient();
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: changePasswordSchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      await api.post("/api/v1/me/password", values);
      form.current?.reset();
      toast("Password changed, and your other sessions ended");
      await client.invalidateQueries({ queryKey: sessions().queryKey });
    },
  });
  return (
    <Section title="Password" description="Changing it ends your sessions everywhere but here.">
      <form ref={form} onSubmit={onSubmit} noValidate className="flex max-w-sm flex-col gap-4">
        {failure && <Notice live tone="bad" title={failure} />}
        <TextField
          name="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
          error={errors.current}
        />
        <NewPasswordField label="New password" error={errors.password} />
        <div>
          <Button type="submit" disabled={pending} className="max-md:w-full">
            {pending ? "Changing…" : "Change password"}
          </Button>
        </div>
      </form>
    </Section>
  );
}
