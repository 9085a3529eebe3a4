import { redirect } from "next/navigation";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { env } from "@/lib/base/env.ts";
import { refusalSentence } from "@/lib/people/organizations/sign-in/sign-in-status.ts";
import { organizationsOfSession } from "@/lib/web/auth/own-organizations.ts";
import { currentRefusal } from "@/lib/web/auth/session.ts";
import { ownPath } from "@/lib/web/auth/sign-in/destination.ts";
import { samlProvidersFor, signInOptions } from "@/lib/web/auth/sign-in/sign-in.ts";
import { GoOn } from "./go-on.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** What the organization asks for that does not let the browser's session in; null: no session is refused. */
async function readAsked() {
  const refused = await currentRefusal();
  if (!refused) return null;
  const { kind, organization, providers } = refused;
  const others = (await organizationsOfSession(refused.id)).filter(({ refusal }) => refusal === null);
  return {
    organizationId: organization.id,
    sentence: refusalSentence(kind, organization.name, providers),
    providers,
    others: others.map(({ id, name }) => ({ id, name })),
  };
}

export const metadata = { title: "Sign in" };

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<"error" | "callbackUrl" | "organization", string | string[] | undefined>>;
}) {
  const options = await signInOptions();
  if (options.setupNeeded) redirect("/setup");
  const { error, callbackUrl, organization } = await searchParams;
  const asked = await readAsked();
  // One of the providers that an organization requires is the only way into it.
  const isLed = asked !== null && asked.providers.length > 0;
  const saml = typeof organization === "string" && !isLed ? await samlProvidersFor(organization) : [];
  return (
    <FrontPage title="Sign in" intro="Approve what your agents are waiting on.">
      {asked && <Asked asked={asked} />}
      <SignInForm
        demo={isLed ? [] : options.demo}
        providers={isLed ? asked.providers : [...saml, ...options.providers]}
        organizationId={asked?.organizationId ?? null}
        password={options.password && !isLed}
        passkey={options.passkey && !isLed}
        error={typeof error === "string" ? error : null}
        callbackUrl={ownPath(callbackUrl, env().url)}
      />
      {asked && <GoOn organizations={asked.others} />}
      {options.setupPossible && (
        <p className="text-[13px] text-muted">
          Done looking around?{" "}
          <Link href="/setup" className="text-accent underline underline-offset-4">
            Set Intray up for your organization
          </Link>
        </p>
      )}
    </FrontPage>
  );
}

/** Says what an organization asks for before it lets the person in. */
function Asked({ asked }: { asked: { sentence: string } }) {
  return <Notice tone="wait" title={asked.sentence} />;
}
