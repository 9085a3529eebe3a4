import { GetStartedScreen } from "./get-started-screen.tsx";

export const metadata = { title: "Get started" };

export default function GetStartedPage() {
  return <GetStartedScreen />;
}
