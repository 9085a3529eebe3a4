import { SlackScreen } from "./slack-screen.tsx";

export const metadata = { title: "Slack" };

export default function SlackPage() {
  return <SlackScreen />;
}
