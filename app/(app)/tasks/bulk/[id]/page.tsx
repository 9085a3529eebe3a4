import { BulkScreen } from "./bulk-screen.tsx";

export const metadata = { title: "Many tasks" };

export default async function BulkPage({ params }: { params: Promise<{ id: string }> }) {
  return <BulkScreen id={(await params).id} />;
}
