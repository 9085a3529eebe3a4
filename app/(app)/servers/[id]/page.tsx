import { ServerScreen } from "./server-screen.tsx";

export const metadata = { title: "Server" };

export default async function ServerPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <ServerScreen id={id} />;
}
