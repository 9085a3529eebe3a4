"use client";

import { ChevronLeft } from "lucide-react";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { Page } from "@/components/shell/pages/page.tsx";
import { StepUp } from "@/components/shell/session/step-up.tsx";
import { SETTINGS_SECTIONS } from "@/components/shell/settings-sections.ts";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { Account } from "./account.tsx";
import { SettingsNav } from "./settings-nav.tsx";

/** The sections beside the open one. On a narrow screen: the list, or one section with the way back. */
export default function SettingsLayout({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const section = SETTINGS_SECTIONS.find(({ href }) => pathname.startsWith(href));
  return (
    <Page
      title={
        section ? (
          <>
            <span className="lg:hidden">{section.label}</span>
            <span className="max-lg:hidden">Settings</span>
          </>
        ) : (
          "Settings"
        )
      }
      back={
        section && (
          <Link
            href="/settings"
            className="-ml-2 flex h-9 items-center gap-1 rounded-lg px-2 text-muted hover:text-ink max-md:h-11 lg:hidden"
          >
            <ChevronLeft aria-hidden className="size-4" strokeWidth={1.75} />
            Settings
          </Link>
        )
      }
      narrow={!section?.wide}
    >
      <div className="flex flex-col gap-6 lg:flex-row lg:gap-10">
        {!section && <Account />}
        <SettingsNav />
        <div className={cn("flex min-w-0 flex-1 flex-col gap-6", !section?.wide && "max-w-2xl")}>
          {children}
        </div>
        <StepUp />
      </div>
    </Page>
  );
}
