import type { ReactNode } from "react";
import { Page } from "@/components/shell/pages/page.tsx";
import { SettingsNav } from "./settings-nav.tsx";

/** The list of sections beside the open one; above it on a narrow screen. */
export default function SettingsLayout({ children }: { children: ReactNode }) {
  return (
    <Page title="Settings" narrow>
      <div className="flex flex-col gap-6 lg:flex-row lg:gap-10">
        <SettingsNav />
        <div className="flex min-w-0 max-w-2xl flex-1 flex-col gap-6">{children}</div>
      </div>
    </Page>
  );
}
