"use client";

import { Fingerprint } from "lucide-react";
import { type SubmitEvent, useSyncExternalStore } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { useHydrated } from "@/components/form/use-hydrated.ts";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { CodeForm } from "./code-form.tsx";
import { DemoPeople, type DemoPerson } from "./demo-people.tsx";
import { sentenceOf } from "./sentences.ts";
import { useSignIn } from "./use-sign-in.ts";
import { useWay } from "./use-way.ts";

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
