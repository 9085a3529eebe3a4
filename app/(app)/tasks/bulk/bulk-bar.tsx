"use client";

import { Ban, RefreshCw, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import type { Selection } from "@/components/list/use-selection.ts";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import type { BulkAction } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { totalCount } from "../toolbar/task-toolbar.tsx";
import type { TaskPlace } from "../toolbar/use-task-place.ts";
import { chosenTasks, selectAllWords, selectedWords } from "./bulk-words.ts";

const BulkDialog = lazyComponent(() => import("./bulk-dialog.tsx").then((file) => file.BulkDialog));

/** Actions on the selected tasks. */
export function BulkBar({
  selection,
  place,
  more,
  total,
}: {
  selection: Selection;
  place: TaskPlace;
  /** The list has tasks that are not loaded. */
  more: boolean;
  /** The number of tasks in the list; null if unknown. */
  total: number | null;
}) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const formats = useFormats();
  const tasks = { ...selection, more, total: total === null ? null : totalCount(total, formats) };
  const selectAll = selectAllWords(tasks);
  return (
    <section
      aria-label="Selected tasks"
      className="appear sticky bottom-4 z-20 mx-auto flex max-w-full flex-wrap items-center gap-2 rounded-lg border border-line bg-panel px-3 py-2 shadow-pop max-md:bottom-2"
    >
      <p role="status" className="font-medium">
        {selectedWords(tasks)}
      </p>
      {selectAll && (
        <Button size="sm" variant="link" onClick={selection.selectAll}>
          {selectAll}
        </Button>
      )}
      <Button size="sm" variant="danger" onClick={() => setAction("cancel")}>
        <Ban aria-hidden strokeWidth={1.75} />
        Cancel…
      </Button>
      <Button size="sm" onClick={() => setAction("refresh")}>
        <RefreshCw aria-hidden strokeWidth={1.75} />
        Check now…
      </Button>
      <Button size="sm" onClick={() => setAction("restart")}>
        <RotateCcw aria-hidden strokeWidth={1.75} />
        Start again…
      </Button>
      <Button
        size="icon"
        variant="ghost"
        aria-label="Clear the selection"
        title="Clear the selection (Esc)"
        onClick={selection.clear}
      >
        <X aria-hidden strokeWidth={1.75} />
      </Button>
      {action && (
        <BulkDialog action={action} {...chosenTasks(tasks, place.query)} onClose={() => setAction(null)} />
      )}
    </section>
  );
}
