import { redirect } from "next/navigation";
import type { Role } from "@/lib/access/roles.ts";
import { requireSession } from "@/lib/web/auth/session.ts";

/** Each to their own desk: approvers to what they decide, operators to the tasks they run, all others to what there is. */
const DESKS: Partial<Record<Role, string>> = { approver: "/inbox", operator: "/tasks" };

export default async function Home() {
  const { role } = await requireSession();
  redirect(DESKS[role] ?? "/overview");
}
