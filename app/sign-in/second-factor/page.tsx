import { redirect } from "next/navigation";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { env } from "@/lib/base/env.ts";
import { organizationsOfSession } from "@/lib/web/auth/own-organizations.ts";
import { readSecurity } from "@/lib/web/auth/security.ts";
import { currentRefusal } from "@/lib/web/auth/session.ts";
import { ownPath } from "@/lib/web/auth/sign-in/destination.ts";
import { GoOn } from "../go-on.tsx";
import { SetUpSecondFactor } from "./set-up.tsx";

export const metadata = { title: "Two-step sign-in" };

/** Where somebody is led whose organization asks for two-step sign-in, and who has signed in with a password alone. */
export default async function SecondFactorPage({
  searchParams,
}: {
  searchParams: Promise<{ callbackUrl?: string | string[] }>;
}) {
  const refused = await currentRefusal();
  const { callbackUrl } = await searchParams;
  const back = ownPath(callbackUrl, env().url);
  if (refused?.kind !== "second_factor") redirect(back);
  const { password, secondFactor } = await readSecurity(refused.user.id);
  const others = (await organizationsOfSession(refused.id)).filter(({ refusal }) => refusal === null);
  return (
    <FrontPage
      title="Set up two-step sign-in"
      intro={`${refused.organization.name} asks for a code after your password. You need an authenticator app on your phone.`}
    >
      <SetUpSecondFactor callbackUrl={back} password={password} isOn={secondFactor.active} />
      <GoOn organizations={others.map(({ id, name }) => ({ id, name }))} />
    </FrontPage>
  );
}
