import { ActivityScreen } from "./activity-screen.tsx";

export const metadata = { title: "Activity" };

export default function ActivityPage() {
  return <ActivityScreen />;
}
