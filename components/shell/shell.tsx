"use client";

import { usePathname, useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { type ReactNode, useRef } from "react";
import { Toaster } from "sonner";
import { Live } from "@/components/api/live.tsx";
import { useMe } from "@/components/shell/me.tsx";
import { BottomBar, Nav } from "@/components/shell/nav.tsx";
import { NAV_ITEMS } from "@/components/shell/nav-items.ts";
import { openShortcutSheet, ShortcutSheet } from "@/components/shell/shortcut-sheet.tsx";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";

/** How long after G the second key still counts. */
const GO_MS = 1_500;

export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const router = useRouter();
  const { resolvedTheme } = useTheme();
  const goPressedAt = useRef(0);
  const go = (href: string) => () => {
    if (Date.now() - goPressedAt.current > GO_MS) return;
    goPressedAt.current = 0;
    router.push(href);
  };
  useShortcuts({
    g: () => {
      goPressedAt.current = Date.now();
    },
    "?": openShortcutSheet,
    ...Object.fromEntries(NAV_ITEMS.map((item) => [item.key, go(item.href)])),
  });
  // A request fills the phone's screen: its decision bar takes the place of the navigation.
  const fullScreen = /^\/inbox\/.+/.test(usePathname());
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-accent px-4 py-2 font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <Live scope={`${me.user.id}:${me.organization.id}`} />
      <div className="flex min-h-0 flex-1">
        <Nav />
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {children}
        </main>
      </div>
      <BottomBar hidden={fullScreen} />
      <ShortcutSheet />
      <Toaster
        position="bottom-right"
        theme={resolvedTheme === "dark" ? "dark" : "light"}
        // Above the bar that decides, however high it is.
        offset={{ bottom: "calc(var(--decision-bar, 64px) + 12px)", right: 24 }}
        mobileOffset={{ bottom: "calc(var(--decision-bar, 64px) + 12px)" }}
        toastOptions={{
          // The reverse of the page, so that it is seen without being loud.
          classNames: {
            toast: "!rounded-lg !border-0 !bg-ink !text-bg !font-sans !text-sm !shadow-pop",
            description: "!text-bg/80",
            actionButton: "!bg-transparent !text-bg !font-medium !underline !underline-offset-4",
          },
        }}
      />
    </div>
  );
}
