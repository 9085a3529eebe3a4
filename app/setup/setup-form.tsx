"use client";

import { signIn } from "next-auth/react";
import { api } from "@/components/api/client.ts";
import { NewPasswordField } from "@/components/form/new-password-field.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { setupInputSchema } from "@/lib/members/schema.ts";

export function SetupForm() {
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: setupInputSchema,
    read: (data) => Object.fromEntries(data),
    sentences: {
      already_set_up: "Intray is already set up. Sign in instead, or ask its owner for an invitation.",
    },
    send: async (values) => {
      await api.post("/api/setup", values);
      await signIn("password", { email: values.email, password: values.password, redirect: false });
      window.location.assign("/");
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <TextField
        name="organizationName"
        label="Organization"
        autoComplete="organization"
        error={errors.organizationName}
      />
      <TextField name="name" label="Your name" autoComplete="name" error={errors.name} />
      <TextField name="email" label="E-mail" type="email" autoComplete="username" error={errors.email} />
      <NewPasswordField error={errors.password} />
      <Button type="submit" variant="primary" className="mt-2" disabled={pending}>
        {pending ? "Setting up…" : "Set up"}
      </Button>
    </form>
  );
}
