import { SetPasswordScreen } from "./set-password-screen.tsx";

// A link of an earlier version has its token in the query: no referrer may pass it to another site.
export const metadata = { title: "Set your password", referrer: "no-referrer" as const };

export default function SetPasswordPage() {
  return <SetPasswordScreen />;
}
