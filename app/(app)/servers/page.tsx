import type { ArrivalQuery } from "@/components/server/server-notices.tsx";
import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { requireSession } from "@/lib/web/auth/session.ts";
import { prefetch, readFor, readServerList } from "../prefetch.ts";
import { ServersScreen } from "./servers-screen.tsx";

export const metadata = { title: "Servers" };

export default async function ServersPage({ searchParams }: { searchParams: Promise<ArrivalQuery> }) {
  await requireSession();
  const { refused } = await searchParams;
  const read = await prefetch<ReadAlready>(
    async (tx, principal) => [...readFor(principal), ...(await readServerList(tx, principal))],
    [],
  );
  return <ServersScreen read={read} arrival={{ refused }} />;
}
