import { NotFoundView } from "@/components/shell/pages/plain-view.tsx";

export const metadata = { title: "Not found" };

export default function AppNotFound() {
  return <NotFoundView />;
}
