import { redirect } from "next/navigation";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { Link } from "@/components/ui/link.tsx";
import { env } from "@/lib/base/env.ts";
import { ownPath } from "@/lib/web/auth/own-path.ts";
import { samlProvidersFor, signInOptions } from "@/lib/web/auth/sign-in/sign-in.ts";
import { SignInForm } from "./sign-in-form.tsx";

export const metadata = { title: "Sign in" };

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<"error" | "callbackUrl" | "organization", string | string[] | undefined>>;
}) {
  const options = await signInOptions();
  if (options.setupNeeded) redirect("/setup");
  const { error, callbackUrl, organization } = await searchParams;
  const saml = typeof organization === "string" ? await samlProvidersFor(organization) : [];
  return (
    <FrontPage title="Sign in" intro="Approve what your agents are waiting on.">
      <SignInForm
        demo={options.demo}
        providers={options.providers}
        saml={saml}
        password={options.password}
        passkey={options.passkey}
        error={typeof error === "string" ? error : null}
        callbackUrl={ownPath(callbackUrl, env().url)}
      />
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
