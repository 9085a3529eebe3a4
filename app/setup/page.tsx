import { redirect } from "next/navigation";
import { FrontPage } from "@/components/shell/front-page.tsx";
import { signInOptions } from "@/lib/web/sign-in.ts";
import { SetupForm } from "./setup-form.tsx";

export const metadata = { title: "Set up" };

export default async function SetupPage() {
  const { setupPossible, demo } = await signInOptions();
  if (!setupPossible) redirect("/sign-in");
  const ends = demo.length > 0 ? " The demonstration ends with it, for good." : "";
  return (
    <FrontPage
      title="Set up Intray"
      intro={`You become the owner of the first organization, and can invite others after.${ends}`}
    >
      <SetupForm />
    </FrontPage>
  );
}
