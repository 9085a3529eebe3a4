import { TeamsScreen } from "./teams-screen.tsx";

export const metadata = { title: "Teams" };

export default function TeamsPage() {
  return <TeamsScreen />;
}
