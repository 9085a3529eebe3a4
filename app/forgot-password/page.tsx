import { redirect } from "next/navigation";
import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { signInOptions } from "@/lib/web/auth/sign-in/sign-in.ts";
import { ForgotPasswordForm } from "./forgot-password-form.tsx";

export const metadata = { title: "Forgot your password" };

export default async function ForgotPasswordPage() {
  const { password, mailsPasswordLinks } = await signInOptions();
  if (!password) redirect("/sign-in");
  if (!mailsPasswordLinks)
    return (
      <FrontPage
        title="Forgot your password?"
        intro="Intray sends no mail here. Ask an admin of your organization, or the person who runs Intray, for a link that sets a new one."
      >
        <Button asChild variant="primary">
          <Link href="/sign-in">Back to sign in</Link>
        </Button>
      </FrontPage>
    );
  return (
    <FrontPage
      title="Forgot your password?"
      intro="Give your e-mail address. A link that sets a new password goes there."
    >
      <ForgotPasswordForm />
    </FrontPage>
  );
}
