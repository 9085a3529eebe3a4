import { headers } from "next/headers";
import { may } from "@/lib/access/permissions.ts";
import { requireSession } from "@/lib/web/auth/session.ts";
import { currentCounts } from "../../counts.ts";
import { InboxScreen } from "../inbox-screen.tsx";
import { readFirstView } from "../prefetch.ts";

/** As `useTitle` says it from then on. */
export async function generateMetadata() {
  const { role } = await requireSession();
  const { mine, unassigned } = await currentCounts();
  const waiting = may(role, "requests:answer") ? mine + unassigned : 0;
  return { title: waiting > 0 ? `Inbox (${waiting})` : "Inbox" };
}

/** `/inbox` and `/inbox/[id]` are one page, so that stepping through requests needs no round trip. */
export default async function InboxPage({
  params,
  searchParams,
}: {
  params: Promise<{ id?: string[] }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  await requireSession();
  const address = {
    id: (await params).id?.[0],
    params: Object.fromEntries(
      Object.entries(await searchParams).map(([name, value]) => [
        name,
        Array.isArray(value) ? value[0] : value,
      ]),
    ),
  };
  const phone = /\bMobile\b/.test((await headers()).get("user-agent") ?? "");
  const { read, first } = await readFirstView(address, !phone);
  // No Suspense here: a part that hydrates later would meet data that the navigation has already loaded.
  return <InboxScreen read={read} first={first} />;
}
