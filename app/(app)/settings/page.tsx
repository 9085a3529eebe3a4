import AppearancePage from "./appearance/page.tsx";

export const metadata = { title: "Settings" };

/** On a narrow screen the list of sections stands alone; a wide one shows the first section beside it. */
export default function SettingsPage() {
  return (
    <div className="contents max-lg:hidden">
      <AppearancePage />
    </div>
  );
}
