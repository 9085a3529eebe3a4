import { OverviewScreen } from "./overview-screen.tsx";

export const metadata = { title: "Overview" };

export default function OverviewPage() {
  return <OverviewScreen />;
}
