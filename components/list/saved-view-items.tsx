"use client";

import { BookmarkPlus, Check, Pencil, Save, Trash2, Users } from "lucide-react";
import { MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { useViewActions } from "./saved-view-actions.ts";
import type { SavedViews, ViewDialog } from "./saved-views.ts";

/** Menu items: a person's own views, the shared ones, and the actions for the current view. */
export function SavedViewItems({
  views,
  onDialog,
}: {
  views: SavedViews;
  onDialog: (dialog: ViewDialog) => void;
}) {
  const { current } = views;
  const actions = useViewActions(views);
  return (
    <>
      <MenuLabel>{views.views.length > 0 ? "Saved views" : "No saved views yet"}</MenuLabel>
      {views.views.map((view) => (
        <MenuItem
          key={view.id}
          onSelect={() => views.open(view)}
          aria-current={view === current || undefined}
        >
          <Tick on={view === current} />
          <span className="flex min-w-0 flex-col">
            <span className="truncate">{view.name}</span>
            {view.shared && (
              <span className="truncate text-muted text-xs">
                {view.mine ? "Shared with everyone" : `Shared by ${view.owner.name}`}
              </span>
            )}
          </span>
        </MenuItem>
      ))}
      <MenuSeparator />
      {current && actions.mayChange && (
        <>
          {actions.changed && (
            <MenuItem onSelect={actions.saveChanges}>
              <Save aria-hidden strokeWidth={1.75} />
              Save changes to “{current.name}”
            </MenuItem>
          )}
          <MenuItem onSelect={() => onDialog("rename")}>
            <Pencil aria-hidden strokeWidth={1.75} />
            Rename “{current.name}”…
          </MenuItem>
          {(actions.mayShare || current.shared) && (
            <MenuItem onSelect={() => actions.share(!current.shared)}>
              <Users aria-hidden strokeWidth={1.75} />
              {current.shared ? "Stop sharing" : "Share with everyone"}
            </MenuItem>
          )}
          <MenuItem onSelect={() => onDialog("delete")}>
            <Trash2 aria-hidden strokeWidth={1.75} />
            Delete “{current.name}”…
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem onSelect={() => onDialog("save")}>
        <BookmarkPlus aria-hidden strokeWidth={1.75} />
        Save this view…
      </MenuItem>
    </>
  );
}

/** The check mark before a menu item that is on; a blank of the same width otherwise. */
export function Tick({ on }: { on: boolean }) {
  return (
    <span className="grid size-4 shrink-0 place-items-center">
      {on && <Check aria-hidden className="size-4 text-accent" strokeWidth={1.75} />}
    </span>
  );
}
