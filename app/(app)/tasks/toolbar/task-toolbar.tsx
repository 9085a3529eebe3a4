"use client";

import { Bookmark, Columns3, ListFilter, X } from "lucide-react";
import { useRef, useState } from "react";
import { SavedViewItems, Tick } from "@/components/list/saved-view-items.tsx";
import type { SavedViews, ViewDialog } from "@/components/list/saved-views.ts";
import { SearchField } from "@/components/list/search-field.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useZoneKnown } from "@/components/time/use-now.ts";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Select } from "@/components/ui/field.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { TASK_STATES } from "@/lib/tasks/task-status.ts";
import { STATE_LABELS } from "@/lib/tasks/words/state-labels.ts";
import {
  SPAN_WORDS,
  SYSTEM_VIEWS,
  type SystemViewName,
  stateWords,
  type TaskSpan,
  taskChipsOf,
} from "@/lib/tasks/words/task-filters.ts";
import type { Formats } from "@/lib/text/formats/formats.ts";
import { MOST_TOTAL } from "@/lib/web/client/tasks/tasks.ts";
import { TASK_COLUMNS } from "../list/task-columns.tsx";
import type { Columns } from "../list/use-columns.ts";
import type { TaskPlace } from "./use-task-place.ts";

const TaskFilterPanel = lazyComponent(() =>
  import("./task-filter-panel.tsx").then((file) => file.TaskFilterPanel),
);

/** Built-in views, which add to the filter; saved ones replace it. */
const SYSTEM: SystemViewName[] = ["stuck", "watch", "waiting", "failed", "mine"];

/** The controls that filter the list and choose its columns. */
export function TaskToolbar({
  place,
  tasks,
  total,
  columns,
  views,
  onDialog,
}: {
  place: TaskPlace;
  /** The loaded tasks, whose servers, tools and people are offered as choices. */
  tasks: TaskSummary[];
  /** The number of tasks in the list; null if unknown. */
  total: number | null;
  columns: Columns;
  views: SavedViews;
  onDialog: (dialog: ViewDialog) => void;
}) {
  const { filters } = place;
  const formats = useFormats();
  const zoneKnown = useZoneKnown();
  const [filtering, setFiltering] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const chips = taskChipsOf(filters, formats, {
    server: (id) => tasks.find((task) => task.server.id === id)?.server.name,
    person: (id) => {
      const found = tasks.find((task) => task.requestedBy.id === id);
      return found && actorWords(found.requestedBy);
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchField
        label="Search tasks"
        value={filters.q}
        onChange={(q) => place.replace({ filters: { q } })}
        className="w-full md:max-w-xs"
      />
      <Select
        aria-label="State"
        className="max-w-48 max-md:w-auto max-md:min-w-32 max-md:flex-1 [&>select]:border-line"
        value={filters.state}
        onChange={(event) => place.go({ filters: { state: event.target.value } })}
      >
        <option value="">Any state</option>
        {filters.state.includes(",") && <option value={filters.state}>{stateWords(filters.state)}</option>}
        {TASK_STATES.map((state) => (
          <option key={state} value={state}>
            {STATE_LABELS[state]}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Time range"
        className="max-w-48 max-md:w-auto max-md:min-w-32 max-md:flex-1 [&>select]:border-line"
        value={filters.since}
        onChange={(event) =>
          place.go({
            filters: { since: event.target.value as TaskSpan | "", createdAfter: "", createdBefore: "" },
          })
        }
      >
        <option value="">Any time</option>
        {Object.entries(SPAN_WORDS).map(([span, words]) => (
          <option key={span} value={span}>
            {words}
          </option>
        ))}
      </Select>
      <Button
        ref={button}
        aria-expanded={filtering}
        aria-haspopup="dialog"
        onClick={() => setFiltering(!filtering)}
      >
        <ListFilter aria-hidden strokeWidth={1.75} />
        Filter
      </Button>
      {chips.map(({ words, clears, zoned = false }) => (
        <button
          // Remounts a chip with a time once the time zone is known: see Instant.
          key={`${words} ${zoned && zoneKnown}`}
          suppressHydrationWarning={zoned}
          type="button"
          aria-label={`${words}: remove this filter`}
          onClick={() => place.go({ filters: clears })}
          className={cn(
            "inline-flex h-7 items-center gap-1.5 rounded-md bg-accent-soft px-2 text-[13px] text-accent hover:bg-sunken max-md:h-11",
            zoned && !zoneKnown && "invisible",
          )}
        >
          {words}
          <X aria-hidden className="size-3.5" strokeWidth={1.75} />
        </button>
      ))}
      <span className="ml-auto flex items-center gap-1">
        {total !== null && (
          <span className="px-1 text-[13px] text-muted tabular-nums">{totalWords(total, formats)}</span>
        )}
        <Menu
          trigger={
            <Button variant="ghost" aria-label="Views">
              <Bookmark
                aria-hidden
                strokeWidth={1.75}
                className={views.current ? "fill-accent-soft text-accent" : ""}
              />
              <span className="max-w-44 truncate">{views.current?.name ?? "Views"}</span>
              {views.current?.shared && <span className="text-muted max-md:hidden">· shared</span>}
            </Button>
          }
        >
          <MenuLabel>Add to the filter</MenuLabel>
          {SYSTEM.map((name) => (
            <MenuItem
              key={name}
              aria-current={filters.show === name || undefined}
              onSelect={() => place.go({ filters: { show: filters.show === name ? "" : name } })}
            >
              <Tick on={filters.show === name} />
              {SYSTEM_VIEWS[name].label}
            </MenuItem>
          ))}
          <MenuSeparator />
          <SavedViewItems views={views} onDialog={onDialog} />
        </Menu>
        <span className="max-md:hidden">
          <Menu
            trigger={
              <Button variant="ghost" size="icon" aria-label="Columns" title="Columns">
                <Columns3 aria-hidden strokeWidth={1.75} />
              </Button>
            }
          >
            <MenuLabel>Columns</MenuLabel>
            {TASK_COLUMNS.map(({ id, label }) => (
              <MenuItem
                key={id}
                role="menuitemcheckbox"
                aria-checked={columns.isShown(id)}
                onSelect={(event) => {
                  event.preventDefault();
                  columns.toggle(id);
                }}
              >
                <Tick on={columns.isShown(id)} />
                {label}
              </MenuItem>
            ))}
            <MenuSeparator />
            <MenuItem disabled={columns.isUsual} onSelect={columns.reset}>
              The usual columns
            </MenuItem>
          </Menu>
        </span>
      </span>
      {filtering && (
        <TaskFilterPanel
          filters={filters}
          tasks={tasks}
          anchor={button}
          onClose={() => setFiltering(false)}
          onApply={(change) => place.go({ filters: change })}
        />
      )}
    </div>
  );
}

/** `1,204 tasks`, `10,000+ tasks`. */
function totalWords(total: number, formats: Formats): string {
  return `${totalCount(total, formats)} ${total === 1 ? "task" : "tasks"}`;
}

export function totalCount(total: number, { number }: Formats): string {
  return total > MOST_TOTAL ? `${number(MOST_TOTAL)}+` : number(total);
}
