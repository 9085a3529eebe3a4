import { readSandbox, sandboxFile } from "@/lib/people/sandbox/sandbox-file.ts";
import { requireSession } from "@/lib/web/auth/session.ts";
import { signInOptions } from "@/lib/web/auth/sign-in/sign-in.ts";
import { NewTaskScreen } from "./new-task-screen.tsx";

export const metadata = { title: "New task" };

/** `?server=` and `?tool=` preselect; `?from=` is a task to start again, with editable arguments. */
export default async function NewTaskPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const me = await requireSession();
  const asked = await searchParams;
  const one = (name: string) => (typeof asked[name] === "string" ? asked[name] : null);
  // Sample data is offered in the demo and in the sandbox.
  const file = sandboxFile();
  const isSandbox = file !== null && readSandbox(file)?.organizationId === me.organization.id;
  const demo = isSandbox || (await signInOptions()).demo.length > 0;
  return (
    <NewTaskScreen demo={demo} given={{ server: one("server"), tool: one("tool"), from: one("from") }} />
  );
}
