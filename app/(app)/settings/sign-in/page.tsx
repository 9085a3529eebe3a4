import { SignInPolicyScreen } from "./sign-in-policy-screen.tsx";

export const metadata = { title: "Sign-in" };

export default function SignInPolicyPage() {
  return <SignInPolicyScreen />;
}
