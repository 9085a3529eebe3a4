import { redirect } from "next/navigation";
import { FrontPage } from "@/components/shell/front-page.tsx";
import { signInOptions } from "@/lib/web/sign-in.ts";
import { SetupForm } from "./setup-form.tsx";

export const metadata = { title: "Set up" };

export default async function SetupPage() {
  if (!(await signInOptions()).setupPossible) redirect("/sign-in");
  return (
    <FrontPage
      title="Set up Intray"
      intro="You become the owner of the first organization. You can invite others after."
    >
      <SetupForm />
    </FrontPage>
  );
}
