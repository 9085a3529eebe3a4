"use client";

import { signIn, signOut } from "next-auth/react";
import { useState } from "react";
import { NewPasswordField, TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { LinkPending, useLookedAt } from "@/components/link/looked-at.tsx";
import { useLinkToken } from "@/components/link/use-link-token.ts";
import { FrontPage, LinkOver } from "@/components/shell/pages/front-page.tsx";
import { leadAll } from "@/components/shell/session/leave.ts";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { aRole, ROLE_WORDS } from "@/lib/access/roles.ts";
import {
  joinWithAccountSchema,
  type LookedAtInvitation,
} from "@/lib/people/invitations/invitation-schema.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";

/** Says what an invitation is for, and offers the ways to accept it. */
export function JoinScreen() {
  const link = useLinkToken("join");
  const state = useLookedAt<LookedAtInvitation>("/api/join/look", link);
  if (state.kind === "none" || state.kind === "over")
    return (
      <LinkOver
        title="This invitation no longer works"
        next="It was used or withdrawn, or is older than a week. Ask the person who invited you for a new link."
      />
    );
  if (state.kind !== "found") return <LinkPending title="Your invitation" state={state} />;
  const { found, token } = state;
  return (
    <FrontPage
      title={`Join ${found.organization}`}
      intro={`${found.inviter ?? "Somebody there"} invites you as ${aRole(found.role)}, who ${ROLE_WORDS[found.role]}.`}
    >
      <WayIn found={found} token={token} onJoined={link.forget} />
    </FrontPage>
  );
}

interface WayInProps {
  found: LookedAtInvitation;
  token: string;
  onJoined: () => void;
}

/** The token stays in the tab's storage while its person is away to sign in. */
const SIGN_IN = `/sign-in?callbackUrl=${encodeURIComponent("/join")}`;

function WayIn({ found, token, onJoined }: WayInProps) {
  const { session, organization, email, signedInAs, mailed } = found;
  if (session === "view")
    return (
      <Notice tone="wait" title="You are viewing as a member">
        <p>You can’t join while you view as a member. Stop viewing, then open the link again.</p>
      </Notice>
    );
  if (session === "own")
    return (
      <AcceptForm token={token} organization={organization} email={signedInAs ?? email} onJoined={onJoined} />
    );
  if (session === "other") return <OtherAccount masked={email} email={signedInAs ?? ""} />;
  if (session === "unproven" && !mailed)
    return (
      <Notice tone="wait" title={`Nobody has confirmed yet that ${email} is yours`}>
        <p>
          Until you confirm your e-mail, your account works only where you are a member. Ask for an invitation
          by e-mail, or ask the person who runs Intray for a link to set your password.
        </p>
      </Notice>
    );
  if (!found.passwords)
    return (
      <>
        <p className="text-muted">Sign in as {email}; then you come back here.</p>
        <Button asChild variant="primary">
          <Link href={SIGN_IN}>Sign in to join</Link>
        </Button>
      </>
    );
  return (
    <>
      {session === "unproven" && (
        <Notice tone="wait" title="Choose a new password">
          <p>
            This link confirms that {email} is yours. The account’s earlier sessions, passkeys, two-step
            sign-in and API keys stop working.
          </p>
        </Notice>
      )}
      <AccountForm token={token} masked={email} signIn={SIGN_IN} onJoined={onJoined} />
      {session === "none" && (
        <p className="text-muted">
          You have an account for {email}, or another way to sign in?{" "}
          <Link href={SIGN_IN} className="text-accent underline underline-offset-4">
            Sign in to join
          </Link>
        </p>
      )}
    </>
  );
}

/** Shown when the link belongs to another account: names the masked address and offers a sign-out. */
function OtherAccount({ masked, email }: { masked: string; email: string }) {
  const [pending, setPending] = useState(false);
  const change = async () => {
    setPending(true);
    await signOut({ redirect: false }).catch(() => undefined); // a failure shows after the reload
    window.location.reload();
  };
  return (
    <Notice
      tone="wait"
      title={`This invitation is for ${masked}`}
      action={
        <Button disabled={pending} onClick={() => void change()}>
          Sign out and go on
        </Button>
      }
    >
      <p>You are signed in as {email}. Nothing was changed.</p>
    </Notice>
  );
}

/** Accepts the invitation, for a user signed in with the invited address. */
function AcceptForm({
  token,
  organization,
  email,
  onJoined,
}: {
  token: string;
  organization: string;
  email: string;
  onJoined: () => void;
}) {
  const [failure, setFailure] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const accept = async () => {
    setPending(true);
    setFailure(null);
    try {
      await api.post("/api/join", { token });
      onJoined();
      leadAll("/");
    } catch (error) {
      setFailure(error instanceof ApiError ? error.sentence : errorSentence(error));
      setPending(false);
    }
  };
  return (
    <div className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <p className="text-muted">You are signed in as {email}.</p>
      <Button variant="primary" disabled={pending} onClick={() => void accept()}>
        {pending ? "Joining…" : `Join ${organization}`}
      </Button>
    </div>
  );
}

/** Creates an account from a name and a password, and accepts the invitation. */
function AccountForm({
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
