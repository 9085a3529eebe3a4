"use client";

import { BookmarkPlus, Pencil, Save, Trash2, Users } from "lucide-react";
import { MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { ViewDialog } from "@/components/views/view-dialogs.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { SYSTEM_VIEWS, type SystemViewName } from "@/lib/format/tasks/task-filters.ts";
import type { UpdateViewInput } from "@/lib/saved-views/schema.ts";
import type { TaskPlace } from "../toolbar/use-task-place.ts";
import type { Views } from "./use-views.ts";

const SYSTEM: SystemViewName[] = ["stuck", "watch", "waiting", "failed", "mine"];

/** Everyone's views, which add to the filter; then one's own and the shared ones, which replace it. */
export function ViewItems({
  views,
  place,
  onDialog,
}: {
  views: Views;
  place: TaskPlace;
  onDialog: (dialog: ViewDialog) => void;
}) {
  const { current } = views;
  const { show } = place.filters;
  // By its promise: the menu in which it was pressed is gone by then.
  const change = (input: UpdateViewInput) =>
    current &&
    views.update
      .mutateAsync({ id: current.id, ...input })
      .catch((error: unknown) => void toast.error(errorSentence(error)));
  return (
    <>
      <MenuLabel>Add to the filter</MenuLabel>
      {SYSTEM.map((name) => (
        <MenuItem
          key={name}
          aria-current={show === name || undefined}
          onSelect={() => place.go({ filters: { show: show === name ? "" : name } })}
        >
          <Tick on={show === name} />
          {SYSTEM_VIEWS[name].label}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuLabel>{views.views.length > 0 ? "Saved views" : "No saved views yet"}</MenuLabel>
      {views.views.map((view) => (
        <MenuItem
          key={view.id}
          aria-current={view === current || undefined}
          onSelect={() => views.open(view)}
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
      {current && views.mayChange && (
        <>
          {views.changed && (
            <MenuItem onSelect={() => change({ query: views.query })}>
              <Save aria-hidden strokeWidth={1.75} />
              Save changes to “{current.name}”
            </MenuItem>
          )}
          <MenuItem onSelect={() => onDialog("rename")}>
            <Pencil aria-hidden strokeWidth={1.75} />
            Rename “{current.name}”…
          </MenuItem>
          {(views.mayShare || current.shared) && (
            <MenuItem onSelect={() => change({ shared: !current.shared })}>
              <Users aria-hidden strokeWidth={1.75} />
              {current.shared ? "Stop sharing" : "Share with everyone"}
            </MenuItem>
          )}
          <MenuItem onSelect={() => onDialog("delete")}>
            <Trash2 aria-hidden strokeWidth={1.75} />
            Delete “{current.name}”…
          </MenuItem>
        </>
      )}
      <MenuItem onSelect={() => onDialog("save")}>
        <BookmarkPlus aria-hidden strokeWidth={1.75} />
        Save this view…
      </MenuItem>
    </>
  );
}

export function Tick({ on }: { on: boolean }) {
  return (
    <span aria-hidden className="grid size-4 shrink-0 place-items-center text-accent">
      {on ? "✓" : ""}
    </span>
  );
}
