import { redirect } from "next/navigation";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { signInOptions } from "@/lib/web/auth/sign-in/sign-in.ts";
import { SetupForm } from "./setup-form.tsx";

export const metadata = { title: "Set up" };

export default async function SetupPage() {
  const { setupPossible, setupOpen, demo } = await signInOptions();
  if (!setupPossible) redirect("/sign-in");
  const ends = demo.length > 0 ? " The demo then ends: its people, API keys and agents no longer work." : "";
  return (
    <FrontPage
      title="Set up Intray"
      intro={`You become the owner of the first organization, and can invite others afterwards.${ends}`}
    >
      {setupOpen ? <SetupForm /> : <SetupClosed />}
      {demo.length > 0 && (
        <p className="text-[13px] text-muted">
          Not yet?{" "}
          <Link href="/sign-in" className="text-accent underline underline-offset-4">
            Go back to the demo
          </Link>
        </p>
      )}
    </FrontPage>
  );
}

/** Shown when the web app runs on its own and has no setup token. */
function SetupClosed() {
  return (
    <Notice tone="wait" title="Setup is closed">
      <p>
        The person who runs Intray can open it: set <code>INTRAY_SETUP_TOKEN</code> for the web app and start
        it again, or make the first organization with <code>npm run -s intray -- org create</code>.
      </p>
    </Notice>
  );
}
