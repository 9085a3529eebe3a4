import { AwayScreen } from "./away-screen.tsx";

export const metadata = { title: "Away" };

export default function AwayPage() {
  return <AwayScreen />;
}
