import { RetentionScreen } from "./retention-screen.tsx";

export const metadata = { title: "Retention" };

export default function RetentionPage() {
  return <RetentionScreen />;
}
