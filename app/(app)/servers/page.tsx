import { ServersScreen } from "./servers-screen.tsx";

export const metadata = { title: "Servers" };

export default function ServersPage() {
  return <ServersScreen />;
}
