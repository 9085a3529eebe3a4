import { MembersScreen } from "./members-screen.tsx";

export const metadata = { title: "Members" };

export default function MembersPage() {
  return <MembersScreen />;
}
