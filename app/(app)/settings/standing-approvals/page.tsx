import { StandingApprovalsScreen } from "./standing-approvals-screen.tsx";

export const metadata = { title: "Approvals for a while" };

export default function StandingApprovalsPage() {
  return <StandingApprovalsScreen />;
}
