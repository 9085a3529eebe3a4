import { WebhooksScreen } from "./webhooks-screen.tsx";

export const metadata = { title: "Webhooks" };

export default function WebhooksPage() {
  return <WebhooksScreen />;
}
