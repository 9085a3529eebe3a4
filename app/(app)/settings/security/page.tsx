import { SecurityScreen } from "./security-screen.tsx";

export const metadata = { title: "Security" };

export default function SecurityPage() {
  return <SecurityScreen />;
}
