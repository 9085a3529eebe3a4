import { headers } from "next/headers";
import type { ReactNode } from "react";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { LinkOver } from "@/components/shell/pages/link-over.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { aRole, ROLE_WORDS } from "@/lib/format/roles.ts";
import type { FoundInvitation } from "@/lib/invitations/queries.ts";
import { maskedEmail } from "@/lib/text/mask.ts";
import { lookAtInvitation } from "@/lib/web/auth/look-at-invitation.ts";
import { currentPerson, currentPrincipal } from "@/lib/web/auth/session.ts";
import { signInOptions } from "@/lib/web/auth/sign-in/sign-in.ts";
import { AcceptForm } from "./accept-form.tsx";
import { AccountForm } from "./account-form.tsx";
import { OtherAccount } from "./other-account.tsx";

// The URL contains the token: no referrer may pass it to another site.
export const metadata = { title: "Join", referrer: "no-referrer" as const };

/** The page that an invitation's link opens. Viewing it changes nothing. */
export default async function JoinPage({
  searchParams,
}: {
  searchParams: Promise<{ token?: string | string[] }>;
}) {
  const { token } = await searchParams;
  const found = await lookAtInvitation(token, (await headers()).get("x-forwarded-for"));
  if (found === "throttled")
    return <LinkOver title="Too many tries" next="Wait a minute, then open the link again." />;
  if (!found || typeof token !== "string") return <NoInvitation />;
  return (
    <FrontPage
      title={`Join ${found.organizationName}`}
      intro={`${found.inviter ?? "Somebody there"} invites you as ${aRole(found.role)}, who ${ROLE_WORDS[found.role]}.`}
    >
      <WayIn found={found} token={token} />
    </FrontPage>
  );
}

async function WayIn({ found, token }: { found: FoundInvitation; token: string }) {
  const person = await currentPerson();
  const masked = maskedEmail(found.email);
  if ((await currentPrincipal())?.isView)
    return (
      <Notice tone="wait" title="You are viewing as a member">
        <p>Nobody joins in a view. Stop viewing, then open the link again.</p>
      </Notice>
    );
  if (person?.email === found.email)
    return <AcceptForm token={token} organization={found.organizationName} email={person.email} />;
  if (person) return <OtherAccount masked={masked} email={person.email} />;
  const signIn = `/sign-in?callbackUrl=${encodeURIComponent(`/join?token=${token}`)}`;
  const { password } = await signInOptions();
  if (found.hasAccount || !password)
    return (
      <>
        <p className="text-muted">
          {found.hasAccount
            ? `There is an account for ${masked}. Sign in with it; then you come back here.`
            : `Sign in as ${masked}; then you come back here.`}
        </p>
        <Button asChild variant="primary">
          <Link href={signIn}>Sign in to join</Link>
        </Button>
      </>
    );
  return (
    <>
      <AccountForm token={token} masked={masked} />
      <p className="text-[13px] text-muted">
        Another way to sign in? <Plain href={signIn}>Sign in, then come back</Plain>
      </p>
    </>
  );
}

function NoInvitation() {
  return (
    <LinkOver
      title="This invitation has expired"
      next="It was used or withdrawn, or is older than a week. Ask whoever invited you for a new link."
    />
  );
}

function Plain({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="text-accent underline underline-offset-4">
      {children}
    </Link>
  );
}
