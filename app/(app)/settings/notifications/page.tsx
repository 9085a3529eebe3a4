import { NotificationsScreen } from "./notifications-screen.tsx";

export const metadata = { title: "Notifications" };

export default function NotificationsPage() {
  return <NotificationsScreen />;
}
