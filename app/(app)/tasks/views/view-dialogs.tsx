"use client";

import { ViewDialogs as Dialogs, type ViewDialog } from "@/components/views/view-dialogs.tsx";
import type { Views } from "./use-views.ts";

/** Of the views of the tasks. */
export function ViewDialogs({ views, ...rest }: { dialog: ViewDialog; views: Views; onClose: () => void }) {
  return (
    <Dialogs
      {...rest}
      current={views.current}
      mayShare={views.mayShare}
      mutations={views}
      suggested=""
      keeps="the search, the filters and the order"
      of="task"
    />
  );
}
