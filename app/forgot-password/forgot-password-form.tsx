"use client";

import { useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { forgotPasswordSchema } from "@/lib/people/members/member-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** Asks for the address. What it says then is the same for every address. */
export function ForgotPasswordForm() {
  const [asked, setAsked] = useState<string | null>(null);
  const { form, errors, failure, pending, blocked, onSubmit } = useForm({
    schema: forgotPasswordSchema,
    read: (data) => Object.fromEntries(data),
    sentences: { throttled: "Too many attempts from your network. Try again in a minute." },
    send: async (values) => {
      await api.post("/api/forgot-password", values);
      setAsked(values.email);
    },
  });
  if (asked)
    return (
      <div className="flex flex-col gap-4">
        <Notice live tone="good" title="Check your mail">
          <p>If {asked} has an account here, a mail is on its way. The link in it works once, for an hour.</p>
          <p>No mail after a few minutes? Check the spam folder, then ask an admin of your organization.</p>
        </Notice>
        <Button asChild>
          <Link href="/sign-in">Back to sign in</Link>
        </Button>
      </div>
    );
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <TextField name="email" label="E-mail" type="email" autoComplete="username" error={errors.email} />
      <Button type="submit" variant="primary" disabled={blocked}>
        {pending ? "Sending…" : "Send a link"}
      </Button>
      <Button asChild variant="ghost">
        <Link href="/sign-in">Back to sign in</Link>
      </Button>
    </form>
  );
}
