import type { ArrivalQuery } from "@/components/server/server-notices.tsx";
import { ServerScreen } from "./server-screen.tsx";

export const metadata = { title: "Server" };

export default async function ServerPage({
  params,
  searchParams,
}: {
  params: Promise<{ id: string }>;
  searchParams: Promise<ArrivalQuery>;
}) {
  const { id } = await params;
  const { connected, refused } = await searchParams;
  return <ServerScreen id={id} arrival={{ connected, refused }} />;
}
