import type { ArrivalQuery } from "@/components/server/arrival-notice.tsx";
import { requireSession } from "@/lib/web/auth/session.ts";
import { prefetch } from "../prefetch.ts";
import { readServerList } from "../server-list.ts";
import { ServersScreen } from "./servers-screen.tsx";

export const metadata = { title: "Servers" };

export default async function ServersPage({ searchParams }: { searchParams: Promise<ArrivalQuery> }) {
  await requireSession();
  const { refused } = await searchParams;
  return <ServersScreen read={await prefetch(readServerList, [])} arrival={{ refused }} />;
}
