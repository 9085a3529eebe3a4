"use client";

import { signIn } from "next-auth/react";
import { type RefObject, useEffect, useRef } from "react";
import { NewPasswordField, TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { setupRequestSchema } from "@/lib/people/members/member-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

export function SetupForm() {
  const token = useRef<HTMLInputElement>(null);
  useTokenOfAddress(token);
  const { form, errors, failure, pending, blocked, onSubmit } = useForm({
    schema: setupRequestSchema,
    read: (data) => Object.fromEntries(data),
    sentences: {
      already_set_up: "Intray is already set up. Sign in instead, or ask its owner for an invitation.",
    },
    send: async (values) => {
      await api.post("/api/setup", values);
      const { email, password } = values;
      await signIn("password", { email, password, redirect: false, callbackUrl: "/get-started" });
      window.location.assign("/get-started");
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <TextField
        name="token"
        label="Setup token"
        description="Printed by npm start when Intray is ready, or the value of INTRAY_SETUP_TOKEN."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        ref={token}
        error={errors.token}
      />
      <TextField
        name="organizationName"
        label="Organization"
        autoComplete="organization"
        error={errors.organizationName}
      />
      <TextField name="name" label="Your name" autoComplete="name" error={errors.name} />
      <TextField name="email" label="E-mail" type="email" autoComplete="username" error={errors.email} />
      <NewPasswordField error={errors.password} />
      <Button type="submit" variant="primary" className="mt-2" disabled={blocked}>
        {pending ? "Setting up…" : "Set up"}
      </Button>
    </form>
  );
}

/**
 * Reads the setup token from the `#` fragment of the printed URL, which browsers never send, and removes it
 * from the URL at once.
 */
function useTokenOfAddress(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const take = () => {
      const given = new URLSearchParams(window.location.hash.slice(1)).get("token");
      if (!given) return;
      if (field.current) field.current.value = given;
      window.history.replaceState(window.history.state, "", window.location.pathname);
    };
    take();
    // The printed URL may be opened while this page is open already.
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, [field]);
}
