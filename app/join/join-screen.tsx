"use client";

import { LinkPending } from "@/components/link/link-pending.tsx";
import { useLinkToken } from "@/components/link/use-link-token.ts";
import { useLookedAt } from "@/components/link/use-looked-at.ts";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { LinkOver } from "@/components/shell/pages/link-over.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { aRole, ROLE_WORDS } from "@/lib/format/roles.ts";
import type { LookedAtInvitation } from "@/lib/invitations/schema.ts";
import { AcceptForm } from "./accept-form.tsx";
import { AccountForm } from "./account-form.tsx";
import { OtherAccount } from "./other-account.tsx";

/** Says what an invitation is for, and offers the ways to accept it. */
export function JoinScreen() {
  const link = useLinkToken("join");
  const state = useLookedAt<LookedAtInvitation>("/api/join/look", link);
  if (state.kind === "none" || state.kind === "over")
    return (
      <LinkOver
        title="This invitation has expired"
        next="It was used or withdrawn, or is older than a week. Ask whoever invited you for a new link."
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
        <p>Nobody joins in a view. Stop viewing, then open the link again.</p>
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
          Your account works where you are a member, and joins nothing else until then. Ask for an invitation
          by e-mail, or ask whoever runs Intray for a link to set your password.
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
            This link confirms that {email} is yours. Whatever opened your account before stops working:
            sessions, passkeys, two-step sign-in and API keys.
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
