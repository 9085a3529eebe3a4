import { UnsubscribeScreen } from "./unsubscribe-screen.tsx";

export const metadata = { title: "Daily digest", referrer: "no-referrer" as const };

/** The page that the link of a digest opens. Viewing it changes nothing. */
export default function UnsubscribePage() {
  return <UnsubscribeScreen />;
}
