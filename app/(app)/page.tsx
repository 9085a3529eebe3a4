import { redirect } from "next/navigation";
import type { Role } from "@/lib/access/roles.ts";
import { requireSession } from "@/lib/web/auth/session.ts";

/** Start pages by role: approvers open the inbox, operators the tasks, all others the overview. */
const DESKS: Partial<Record<Role, string>> = { approver: "/inbox", operator: "/tasks" };

export default async function Home() {
  const { role } = await requireSession({ inView: true });
  redirect(DESKS[role] ?? "/overview");
}
