import { DirectoryScreen } from "./directory-screen.tsx";

export const metadata = { title: "Directory" };

export default function DirectoryPage() {
  return <DirectoryScreen />;
}
