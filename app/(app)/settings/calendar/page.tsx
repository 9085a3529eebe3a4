import { CalendarScreen } from "./calendar-screen.tsx";

export const metadata = { title: "Calendar" };

export default function CalendarPage() {
  return <CalendarScreen />;
}
