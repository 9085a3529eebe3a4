"use client";

import { signIn } from "next-auth/react";
import { useState } from "react";
import { NewPasswordField } from "@/components/form/new-password-field.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { api } from "@/lib/api-client/base/client.ts";
import { joinWithAccountSchema } from "@/lib/invitations/schema.ts";

/** Creates an account from a name and a password, and accepts the invitation. */
export function AccountForm({
  token,
  masked,
  signIn: signInPath,
  onJoined,
}: {
  token: string;
  masked: string;
  signIn: string;
  onJoined: () => void;
}) {
  const [mustSignIn, setMustSignIn] = useState(false);
  const { form, errors, failure, pending, blocked, onSubmit } = useForm({
    schema: joinWithAccountSchema,
    read: (data) => ({ ...Object.fromEntries(data), token }),
    send: async (values) => {
      const { email } = await api.post<{ email: string }>("/api/join/account", values);
      const signedIn = await signIn("password", { email, password: values.password, redirect: false });
      if (!signedIn?.ok) return setMustSignIn(true);
      onJoined();
      window.location.assign("/");
    },
  });
  // The same for every address: whether it has an account is nobody's business but its person's.
  if (mustSignIn)
    return (
      <div className="flex flex-col gap-4">
        <Notice live tone="wait" title="Sign in to go on">
          <p>If {masked} has an account already, sign in as you did before. Then you come back here.</p>
        </Notice>
        <Button asChild variant="primary">
          <Link href={signInPath}>Sign in</Link>
        </Button>
      </div>
    );
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <p className="text-muted">You get an account for {masked}.</p>
      <TextField name="name" label="Your name" autoComplete="name" error={errors.name} />
      <NewPasswordField error={errors.password} />
      <Button type="submit" variant="primary" className="mt-2" disabled={blocked}>
        {pending ? "Joining…" : "Join"}
      </Button>
    </form>
  );
}
