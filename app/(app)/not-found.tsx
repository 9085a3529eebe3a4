import { NotFoundView } from "@/components/shell/not-found-view.tsx";

export const metadata = { title: "Not found" };

export default function AppNotFound() {
  return <NotFoundView />;
}
