import { NoticesScreen } from "./notices-screen.tsx";

export const metadata = { title: "Notices" };

export default function NoticesPage() {
  return <NoticesScreen />;
}
