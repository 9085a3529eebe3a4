import { GroupsScreen } from "./groups-screen.tsx";

export const metadata = { title: "Groups" };

export default function GroupsPage() {
  return <GroupsScreen />;
}
