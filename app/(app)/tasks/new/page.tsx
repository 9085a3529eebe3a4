import { requireSession } from "@/lib/web/session.ts";
import { signInOptions } from "@/lib/web/sign-in.ts";
import { NewTaskScreen } from "./new-task-screen.tsx";

export const metadata = { title: "New task" };

export default async function NewTaskPage() {
  await requireSession();
  // Sample data is offered where the demo runs, and nowhere else.
  const demo = (await signInOptions()).demo.length > 0;
  return <NewTaskScreen demo={demo} />;
}
