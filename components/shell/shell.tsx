"use client";

import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { useTheme } from "next-themes";
import { type ReactNode, useEffect } from "react";
import { Toaster } from "sonner";
import { Live } from "@/components/api/live.tsx";
import { ConnectionBar } from "@/components/shell/connection-bar.tsx";
import { GoHint } from "@/components/shell/go-hint.tsx";
import { onLeft } from "@/components/shell/leave.ts";
import { useMe } from "@/components/shell/me.tsx";
import { BottomBar, Nav } from "@/components/shell/nav.tsx";
import { Overlays } from "@/components/shell/overlays.tsx";
import { useGoKeys } from "@/components/shell/use-go-keys.ts";
import { useRouteFocus } from "@/components/shell/use-route-focus.ts";

const Tour = dynamic(() => import("./tour.tsx").then((file) => file.Tour), { ssr: false });

export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const { resolvedTheme } = useTheme();
  const going = useGoKeys();
  useRouteFocus();
  useEffect(() => onLeft(() => window.location.assign("/sign-in")), []);
  // A request fills the phone's screen: its decision bar takes the place of the navigation.
  const pathname = usePathname();
  const fullScreen = /^\/inbox\/.+/.test(pathname);
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-accent px-4 py-2 font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <Live scope={`${me.user.id}:${me.organization.id}`} />
      <ConnectionBar />
      <div className="flex min-h-0 flex-1">
        <Nav />
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {children}
        </main>
      </div>
      <BottomBar hidden={fullScreen} />
      {pathname.startsWith("/inbox") && !me.preferences.tourSeen && <Tour hiddenOnPhones={fullScreen} />}
      <Overlays />
      {going && <GoHint />}
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
