import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { SetPasswordForm } from "./set-password-form.tsx";

// The URL contains the token: no referrer may pass it to another site.
export const metadata = { title: "Set your password", referrer: "no-referrer" as const };

export default async function SetPasswordPage({
  searchParams,
}: {
  searchParams: Promise<{ token?: string | string[] }>;
}) {
  const { token } = await searchParams;
  return (
    <FrontPage title="Set your password" intro="Then sign in with it.">
      {typeof token === "string" && token !== "" ? (
        <SetPasswordForm token={token} />
      ) : (
        <Notice tone="bad" title="This link is incomplete">
          <p>Open it again from the message it came in, or ask for a new one.</p>
        </Notice>
      )}
    </FrontPage>
  );
}
