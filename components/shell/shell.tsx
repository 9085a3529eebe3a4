"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect } from "react";
import { ConnectionBar } from "@/components/shell/connection-bar.tsx";
import { useGoKeys } from "@/components/shell/keys/use-go-keys.ts";
import { BottomBar, Nav } from "@/components/shell/nav.tsx";
import { Overlays } from "@/components/shell/overlays.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { followOthers } from "@/components/shell/session/other-tabs.ts";
import { useRouteFocus } from "@/components/shell/use-route-focus.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Toaster } from "@/components/ui/toast/toaster.tsx";
import { Live } from "@/lib/api-client/base/live.tsx";

const GoHint = lazyComponent(() => import("./keys/go-hint.tsx").then((file) => file.GoHint), { warm: true });
const NotInView = lazyComponent(() => import("./pages/not-in-view.tsx").then((file) => file.NotInView), {
  warm: true,
});
/** All that a view shows: lists of requests and tasks, and each of them. */
const SHOWN_IN_VIEW = /^\/(inbox|tasks)(\/(?!new$)[^/]*)?$/;
const ViewBar = lazyComponent(() => import("./view-bar.tsx").then((file) => file.ViewBar));
const DeletionBar = lazyComponent(() => import("./deletion-bar.tsx").then((file) => file.DeletionBar));
const Tour = lazyComponent(() => import("./tour.tsx").then((file) => file.Tour), {
  // The height of the strip.
  loading: () => <div className="min-h-12 max-md:min-h-[116px]" />,
});

export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const [going, endGoing] = useGoKeys();
  useRouteFocus();
  useEffect(followOthers, []);
  // On a phone a request fills the screen: its decision bar replaces the navigation.
  const pathname = usePathname();
  const fullScreen = /^\/inbox\/.+/.test(pathname);
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-accent font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-4 focus:py-2"
      >
        Skip to content
      </a>
      <Live scope={`${me.user.id}:${me.organization.id}`} />
      {me.view && <ViewBar {...me.view} />}
      {me.deletion && <DeletionBar {...me.deletion} />}
      <ConnectionBar />
      {pathname.startsWith("/inbox") && !me.preferences.tourSeen && <Tour hiddenOnPhones={fullScreen} />}
      <div className="flex min-h-0 flex-1">
        <Nav />
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {me.view && !SHOWN_IN_VIEW.test(pathname) ? <NotInView /> : children}
        </main>
      </div>
      <BottomBar hidden={fullScreen} />
      <Overlays />
      {going && <GoHint onEnd={endGoing} />}
      <Toaster />
    </div>
  );
}
