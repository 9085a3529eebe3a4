"use client";

import { ViewDialogs as Dialogs, type ViewDialog } from "@/components/views/view-dialogs.tsx";
import { useViewActions } from "./use-view-actions.ts";
import type { Views } from "./use-views.ts";

/** Of the views of the inbox. `suggested`: a name made of the filters that are on. */
export function ViewDialogs({
  views,
  ...rest
}: {
  dialog: ViewDialog;
  views: Views;
  suggested: string;
  onClose: () => void;
}) {
  return (
    <Dialogs
      {...rest}
      current={views.current}
      mayShare={views.mayShare}
      mutations={useViewActions(views)}
      keeps="the tab, the search, the filters and the order"
      of="request"
    />
  );
}
