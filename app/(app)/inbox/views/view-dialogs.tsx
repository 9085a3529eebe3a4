"use client";

import { ViewDialogs as Dialogs } from "@/components/list/saved-view-dialogs.tsx";
import type { SavedViews, ViewDialog } from "@/components/list/saved-views.ts";
import { chipsOf } from "@/lib/format/requests/filter-words.ts";
import { capitalise } from "@/lib/text/labels.ts";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";

/** Of the views of the inbox: a new one is named by the filters that are on. */
export function ViewDialogs({
  place,
  ...dialogs
}: {
  place: InboxPlace;
  dialog: ViewDialog;
  views: SavedViews;
  onClose: () => void;
}) {
  const filters = chipsOf(place.filters, () => undefined).map((chip) => chip.words);
  const tab = capitalise(dialogs.views.query.tab ?? "");
  return <Dialogs {...dialogs} suggested={filters.join(", ") || place.filters.q || tab} />;
}
