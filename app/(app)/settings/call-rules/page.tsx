import { CallRulesScreen } from "./call-rules-screen.tsx";

export const metadata = { title: "Call rules" };

export default function CallRulesPage() {
  return <CallRulesScreen />;
}
