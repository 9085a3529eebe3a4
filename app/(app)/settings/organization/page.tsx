import { OrganizationScreen } from "./organization-screen.tsx";

export const metadata = { title: "Organization" };

export default function OrganizationPage() {
  return <OrganizationScreen />;
}
