import { env } from "@/lib/base/env.ts";
import { requireSession } from "@/lib/web/auth/session.ts";
import { AgentScreen } from "./agent-screen.tsx";

export const metadata = { title: "Agent" };

export default async function AgentPage({ params }: { params: Promise<{ id: string }> }) {
  await requireSession();
  const { id } = await params;
  return <AgentScreen id={id} url={`${env().url}/mcp`} />;
}
