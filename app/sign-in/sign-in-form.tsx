"use client";

import { Fingerprint } from "lucide-react";
import { type SubmitEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { useHydrated } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { NamedProvider } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { DemoPeople, type DemoPerson } from "./demo-people.tsx";
import { useSignIn } from "./use-sign-in.ts";

/** Sentences for failed sign-ins, by the error code in the URL or in the response. */
const SENTENCES: Record<string, string> = {
  CredentialsSignin: "E-mail or password is wrong.",
  unavailable: "Intray cannot sign you in just now. Try again in a moment.",
  unreachable: "Intray can’t be reached. Try again.",
  wrong_code: "The code is wrong, or was used before. Wait for the next one.",
  sign_in_again: "That took too long, or there were too many attempts. Start again with your password.",
  passkey_refused: "The passkey was not accepted. Try again, or sign in another way.",
  passkey_closed: "No passkey was given.",
  OAuthSignin: "The sign-in provider can’t be reached. Try again.",
  OAuthCallback: "The sign-in provider’s answer could not be trusted. Try again.",
  Callback: "The sign-in provider did not let you in. Try again.",
  provider_failed: "The sign-in provider’s answer could not be trusted. Tell the person who runs Intray.",
  saml_declined: "Your organization’s sign-in provider did not let you in.",
  saml_expired: "That took too long. Try again.",
  saml_not_started: "That sign-in is over, or was not begun here. Try again.",
  saml_other_browser: "That sign-in was begun in another browser, or took too long. Try again.",
  saml_used: "That sign-in was used already. Try again.",
  saml_provider_started: "Begin here: your organization does not let its provider begin a sign-in.",
  saml_session_over: "Your session at the sign-in provider is over. Sign in there again.",
  saml_no_email:
    "Your organization’s sign-in provider does not say what your e-mail address is. Tell an admin.",
  saml_no_account: "Your organization has no place for you here yet. Ask an admin for an invitation.",
  saml_account_exists:
    "There is an account with your address already. Sign in to it as you did before, then link your organization’s sign-in under Settings, Security.",
  saml_suspended: "Your organization has suspended your membership. Ask an admin.",
  no_account: "You have no account here yet. Ask an admin of your organization for an invitation.",
  account_exists: "There is an account with your address already. Sign in to it as you did before.",
  email_unverified: "The sign-in provider has not verified your e-mail address. Verify it there first.",
  domain_not_allowed: "Addresses of your domain may not sign in here.",
  no_organization: "Your account is in no organization. Ask an admin of one for an invitation.",
};

function sentenceOf(code: string): string {
  const [, seconds] = /^throttled(?::(\d{1,5}))?$/.exec(code) ?? [];
  if (code.startsWith("throttled")) return pauseSentence(Number(seconds ?? 60));
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
  if (known === undefined && code.startsWith("saml_"))
    return "Your organization’s sign-in provider gave an answer that could not be trusted. Try again, or tell an admin of it.";
  return known ?? "Signing in did not work. Try again.";
}

/** `seconds`: an hour at most, as the longest pause is. */
function pauseSentence(seconds: number): string {
  const wait = Math.min(Math.max(seconds, 1), 3600);
  const words = formatDuration((wait > 60 ? Math.ceil(wait / 60) * 60 : wait) * 1000);
  return `Too many attempts. Try again in ${words}, or in a browser in which you signed in before.`;
}

const never = () => () => {};

/** Single sign-on first, then the password, then a passkey; the second factor replaces all of them. */
export function SignInForm({
  demo,
  providers,
  password,
  passkey,
  error: initialError,
  callbackUrl,
  organizationId,
}: {
  demo: DemoPerson[];
  providers: { id: string; name: string }[];
  password: boolean;
  passkey: boolean;
  error: string | null;
  callbackUrl: string;
  organizationId: string | null;
}) {
  const { error, pending, codeWanted, enter, enterWithPasskey, enterAt, startAgain } = useSignIn(
    callbackUrl,
    initialError,
    organizationId,
  );
  const blocked = !useHydrated() || pending;
  const { led, look } = useWay();
  // Browsers offer passkeys only over https and on localhost.
  const hasPasskeys = useSyncExternalStore(
    never,
    () => "PublicKeyCredential" in window,
    () => true,
  );
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    void enter("password", { email: String(data.get("email")), password: String(data.get("password")) });
  };
  const notice = error && <Notice live tone="bad" title={sentenceOf(error)} />;

  if (codeWanted) {
    return (
      <div className="flex flex-col gap-6">
        {notice}
        <CodeForm pending={pending} onCode={(code) => void enter("code", { code })} onBack={startAgain} />
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-6">
      {notice}
      {demo.length > 0 && (
        <DemoPeople people={demo} disabled={blocked} onEnter={({ email }) => void enter("demo", { email })} />
      )}
      {demo.length > 0 && password && <Or>or with your account</Or>}
      {providers.length > 0 && (
        <div className="flex flex-col gap-2">
          {providers.map(({ id, name }) => (
            <Button key={id} className="max-w-full" disabled={blocked} onClick={() => void enterAt(id)}>
              <span className="truncate">Sign in with {name}</span>
            </Button>
          ))}
        </div>
      )}
      {providers.length > 0 && (password || passkey) && <Or>or</Or>}
      {password && (
        <form onSubmit={onSubmit} className="flex flex-col gap-4">
          <TextField
            name="email"
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            onBlur={(event) => void look(event.currentTarget.value)}
          />
          {led && (
            <Notice
              live
              tone="accent"
              title={`Addresses of ${led.domain} sign in through ${led.providers.map(({ name }) => name).join(" or ")}.`}
              action={led.providers.map(({ id, name }) => (
                <Button key={id} disabled={blocked} onClick={() => void enterAt(id, led.organizationId)}>
                  Continue with {name}
                </Button>
              ))}
            />
          )}
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            required
          />
          <Button type="submit" variant="primary" disabled={blocked}>
            {pending ? "Signing in…" : "Sign in"}
          </Button>
          <Link
            href="/forgot-password"
            className="self-start text-[13px] text-muted underline underline-offset-4 hover:text-ink"
          >
            Forgot your password?
          </Link>
        </form>
      )}
      {passkey && hasPasskeys && (
        <Button variant="ghost" disabled={blocked} onClick={() => void enterWithPasskey()}>
          <Fingerprint aria-hidden strokeWidth={1.75} />
          Sign in with a passkey
        </Button>
      )}
    </div>
  );
}

function Or({ children }: { children: string }) {
  return (
    <div className="flex items-center gap-3 text-muted text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {children}
    </div>
  );
}

interface Led {
  domain: string;
  organizationId: string;
  providers: NamedProvider[];
}

/** The provider that addresses of a typed address's domain sign in through. Where nothing is known, nothing is said. */
function useWay() {
  const [led, setLed] = useState<Led | null>(null);
  const newest = useRef("");
  const look = async (email: string) => {
    const domain = email.slice(email.lastIndexOf("@") + 1).trim();
    if (email === newest.current) return;
    newest.current = email;
    const found = email.includes("@")
      ? await api.post<Omit<Led, "domain">>("/api/sign-in/way", { email: email.trim() }).catch(() => null)
      : null;
    if (newest.current !== email) return;
    setLed(found && found.providers.length > 0 ? { ...found, domain } : null);
  };
  return { led, look };
}

/** The second factor: a code of the authenticator app, or a recovery code. */
function CodeForm({
  pending,
  onCode,
  onBack,
}: {
  pending: boolean;
  onCode: (code: string) => void;
  onBack: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onCode(String(new FormData(event.currentTarget).get("code")));
    input.current?.select();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <Field
        id="code"
        label="Code"
        description="Six digits from your authenticator app, or one of your recovery codes."
        required
      >
        {(control) => (
          <Input
            {...control}
            ref={input}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={40}
            required
            className="tabular-nums tracking-wide"
          />
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={pending}>
        {pending ? "Signing in…" : "Continue"}
      </Button>
      <Button variant="ghost" onClick={onBack} disabled={pending}>
        Back
      </Button>
    </form>
  );
}
