"use client";

import { useViewActions } from "@/components/list/saved-view-actions.ts";
import type { SavedViews } from "@/components/list/saved-views.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";

/** Names the open view above the list, and marks changed filters. */
export function ViewLine({
  views,
  place,
  onSaveAs,
}: {
  views: SavedViews;
  place: InboxPlace;
  onSaveAs: () => void;
}) {
  const { current, missing } = views;
  const actions = useViewActions(views);
  const { changed, mayChange } = actions;
  if (missing) {
    return (
      <div className="px-4 pb-2.5">
        <Notice
          title="This view no longer exists"
          action={
            <Button size="sm" onClick={() => place.replace({ view: null })}>
              Continue without the view
            </Button>
          }
        >
          <p>It was deleted or is no longer shared. The filters of the link still apply.</p>
        </Notice>
      </div>
    );
  }
  if (!current) return null;
  return (
    <div className="flex min-h-7 items-center gap-1.5 px-4 pb-2.5 text-[13px]">
      <p className="min-w-0 truncate">
        <span className="text-muted">View: </span>
        <span className="font-medium">{current.name}</span>
        {changed && <span className="text-muted"> · changed</span>}
      </p>
      {changed && (
        <Button
          variant="link"
          size="sm"
          className="px-1 max-md:h-11"
          onClick={mayChange ? actions.saveChanges : onSaveAs}
        >
          {mayChange ? "Save" : "Save as…"}
        </Button>
      )}
      <Button
        variant="link"
        size="sm"
        className="ml-auto px-1 max-md:h-11"
        onClick={() => (changed ? views.open(current) : place.go({ view: null }))}
      >
        {changed ? "Undo changes" : "Leave"}
      </Button>
    </div>
  );
}
