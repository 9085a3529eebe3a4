import { TasksScreen } from "./tasks-screen.tsx";

export const metadata = { title: "Tasks" };

export default function TasksPage() {
  return <TasksScreen />;
}
