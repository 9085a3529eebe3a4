import { NoticesScreen } from "./notices-screen.tsx";

export const metadata = { title: "Notifications" };

export default function NoticesPage() {
  return <NoticesScreen />;
}
