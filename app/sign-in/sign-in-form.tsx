"use client";

import { ArrowRight } from "lucide-react";
import { signIn } from "next-auth/react";
import { type SubmitEvent, useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { capitalise } from "@/lib/format/labels.ts";
import type { Role } from "@/lib/members/schema.ts";

const SENTENCES: Record<string, string> = {
  CredentialsSignin: "E-mail or password is wrong.",
  throttled: "Too many tries. Wait a minute, then try again.",
  no_organization: "Your account is in no organization any more. Ask someone there for an invitation.",
  organization_deleted: "The organization was deleted, and your account with it. Nothing of it is left here.",
  unreachable: "Intray cannot be reached. Try again.",
};

interface DemoPerson {
  email: string;
  name: string;
  role: Role;
  organization: string;
}

const CAN: Record<Role, string> = {
  viewer: "reads tasks and requests",
  approver: "answers what waits",
  operator: "starts tasks, answers too",
  admin: "connects servers, sets rules",
  owner: "may do everything",
};

export function SignInForm({
  demo,
  password,
  error: initialError,
  callbackUrl,
}: {
  demo: DemoPerson[];
  password: boolean;
  error: string | null;
  callbackUrl: string;
}) {
  const [error, setError] = useState(initialError);
  const [pending, setPending] = useState<string | null>(null);

  const enter = async (provider: "demo" | "password", values: Record<string, string>) => {
    setPending(values.email ?? "");
    setError(null);
    const result = await signIn(provider, { ...values, redirect: false, callbackUrl }).catch(() => null);
    // A full load, so that no page kept from another sign-in is shown.
    if (result?.ok && !result.error) return window.location.assign(callbackUrl);
    setPending(null);
    setError(result ? (result.error ?? "CredentialsSignin") : "unreachable");
  };

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    void enter("password", { email: String(data.get("email")), password: String(data.get("password")) });
  };

  return (
    <div className="flex flex-col gap-6">
      {error && <Notice live tone="bad" title={SENTENCES[error] ?? "Signing in did not work. Try again."} />}
      {demo.length > 0 && (
        <section className="flex flex-col gap-2" aria-labelledby="demo-heading">
          <h2 id="demo-heading" className="font-medium text-[13px] text-muted">
            Demo: come in as
          </h2>
          <ul className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
            {demo.map((person) => (
              <li key={person.email}>
                <button
                  type="button"
                  disabled={pending !== null}
                  onClick={() => void enter("demo", { email: person.email })}
                  className="group flex min-h-12 w-full items-center gap-3 px-3 py-2 text-left hover:bg-sunken focus-visible:-outline-offset-2 disabled:opacity-60"
                >
                  <span
                    aria-hidden
                    className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent text-xs"
                  >
                    {person.name.charAt(0)}
                  </span>
                  <span className="min-w-0 flex-1">
                    <span className="block font-medium">{person.name}</span>
                    <span className="block truncate text-muted text-xs">
                      {capitalise(person.role)} of {person.organization} · {CAN[person.role]}
                    </span>
                  </span>
                  <ArrowRight
                    aria-hidden
                    className="size-4 text-faint group-hover:text-accent"
                    strokeWidth={1.75}
                  />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {demo.length > 0 && password && (
        <div className="flex items-center gap-3 text-muted text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or with your account
        </div>
      )}
      {password && (
        <form onSubmit={onSubmit} className="flex flex-col gap-4">
          <TextField name="email" label="E-mail" type="email" autoComplete="username" required />
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            required
          />
          <Button type="submit" variant="primary" disabled={pending !== null}>
            {pending === null ? "Sign in" : "Signing in…"}
          </Button>
        </form>
      )}
    </div>
  );
}
