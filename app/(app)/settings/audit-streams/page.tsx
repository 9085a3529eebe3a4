import { AuditStreamsScreen } from "./audit-streams-screen.tsx";

export const metadata = { title: "Audit stream" };

export default function AuditStreamsPage() {
  return <AuditStreamsScreen />;
}
