import { InboxScreen } from "./inbox-screen.tsx";

export const metadata = { title: "Inbox" };

/** `/inbox` and `/inbox/[id]` are one page, so that stepping through requests needs no round trip. */
export default function InboxPage() {
  // No Suspense here: a part that hydrates later would meet data that the navigation has already loaded.
  return <InboxScreen />;
}
