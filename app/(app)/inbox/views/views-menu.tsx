"use client";

import { Bookmark } from "lucide-react";
import type { SavedViews, ViewDialog } from "@/components/list/saved-views.ts";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";

const ViewsMenuItems = lazyComponent(() => import("../list-chunk.ts").then((file) => file.ViewsMenuItems), {
  warm: true,
});

/** A menu of personal and shared views, with the actions for the open one. */
export function ViewsMenu({
  views,
  onDialog,
}: {
  views: SavedViews;
  onDialog: (dialog: ViewDialog) => void;
}) {
  const { current } = views;
  return (
    <Menu
      items={ViewsMenuItems}
      trigger={
        <Button variant="ghost" size="icon" aria-label="Saved views" title="Saved views">
          <Bookmark
            aria-hidden
            strokeWidth={1.75}
            className={current ? "fill-accent-soft text-accent" : ""}
          />
        </Button>
      }
    >
      <ViewsMenuItems views={views} onDialog={onDialog} />
    </Menu>
  );
}
