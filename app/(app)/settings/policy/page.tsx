import { PolicyScreen } from "./policy-screen.tsx";

export const metadata = { title: "Policy" };

export default function PolicyPage() {
  return <PolicyScreen />;
}
