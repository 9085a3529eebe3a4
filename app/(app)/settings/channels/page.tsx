import { ChannelsScreen } from "./channels-screen.tsx";

export const metadata = { title: "Channels" };

export default function ChannelsPage() {
  return <ChannelsScreen />;
}
