import { TaskScreen } from "./task-screen.tsx";

export const metadata = { title: "Task" };

export default async function TaskPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <TaskScreen id={id} />;
}
