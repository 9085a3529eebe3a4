"use client";

import { ViewDialogs as Dialogs } from "@/components/list/saved-view-dialogs.tsx";
import type { SavedViews, ViewDialog } from "@/components/list/saved-views.ts";
import { useFormats } from "@/components/shell/session/me.tsx";
import { chipsOf } from "@/lib/requests/words/filter-words.ts";
import { capitalise } from "@/lib/text/labels.ts";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";

/** The dialogs of the inbox's views. A new view is named after the active filters. */
export function ViewDialogs({
  place,
  ...dialogs
}: {
  place: InboxPlace;
  dialog: ViewDialog;
  views: SavedViews;
  onClose: () => void;
}) {
  const filters = chipsOf(place.filters, useFormats(), () => undefined).map((chip) => chip.words);
  const tab = capitalise(dialogs.views.query.tab ?? "");
  return <Dialogs {...dialogs} suggested={filters.join(", ") || place.filters.q || tab} />;
}
