import { env } from "@/lib/base/env.ts";
import { requireSession } from "@/lib/web/auth/session.ts";
import { AgentsScreen } from "./agents-screen.tsx";

export const metadata = { title: "Agents" };

export default async function AgentsPage() {
  await requireSession();
  return <AgentsScreen url={`${env().url}/mcp`} />;
}
