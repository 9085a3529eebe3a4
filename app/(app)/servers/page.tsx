import type { ArrivalQuery } from "@/components/server/arrival-notice.tsx";
import { ServersScreen } from "./servers-screen.tsx";

export const metadata = { title: "Servers" };

export default async function ServersPage({ searchParams }: { searchParams: Promise<ArrivalQuery> }) {
  const { refused } = await searchParams;
  return <ServersScreen arrival={{ refused }} />;
}
