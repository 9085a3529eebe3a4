import { JoinScreen } from "./join-screen.tsx";

// A link of an earlier version has its token in the query: no referrer may pass it to another site.
export const metadata = { title: "Join", referrer: "no-referrer" as const };

/** The page that an invitation's link opens. Viewing it changes nothing. */
export default function JoinPage() {
  return <JoinScreen />;
}
