import { ApiKeysScreen } from "./api-keys-screen.tsx";

export const metadata = { title: "API keys" };

export default function ApiKeysPage() {
  return <ApiKeysScreen />;
}
