import { BulkScreen } from "./bulk-screen.tsx";

export const metadata = { title: "Bulk operation" };

export default async function BulkPage({ params }: { params: Promise<{ id: string }> }) {
  return <BulkScreen id={(await params).id} />;
}
