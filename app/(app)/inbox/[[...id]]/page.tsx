import { requireSession } from "@/lib/web/auth/session.ts";
import { currentCounts, isPhone, readParams, type SearchParams } from "../../prefetch.ts";
import { InboxScreen } from "../inbox-screen.tsx";
import { readFirstView } from "../prefetch.ts";

/** The same title as `useTitle` sets later. */
export async function generateMetadata() {
  await requireSession({ inView: true });
  const { waiting } = await currentCounts();
  return { title: waiting > 0 ? `Inbox (${waiting})` : "Inbox" };
}

/** `/inbox` and `/inbox/[id]` are one page, so that stepping through requests needs no round trip. */
export default async function InboxPage({
  params,
  searchParams,
}: {
  params: Promise<{ id?: string[] }>;
  searchParams: SearchParams;
}) {
  await requireSession({ inView: true });
  const id = (await params).id?.[0];
  const { read, first } = await readFirstView(id, await readParams(searchParams), !(await isPhone()));
  // No Suspense here: a boundary that hydrates later would meet data that the navigation has already loaded.
  return <InboxScreen read={read} first={first} />;
}
