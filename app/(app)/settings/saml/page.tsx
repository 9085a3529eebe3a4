import { SamlScreen } from "./saml-screen.tsx";

export const metadata = { title: "SAML" };

export default function SamlPage() {
  return <SamlScreen />;
}
