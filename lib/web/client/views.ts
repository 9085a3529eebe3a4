import type { Page } from "@/lib/base/page.ts";
import type { SavedView } from "@/lib/requests/saved-views/saved-view-schema.ts";
import { query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

/** A person's own views of a page and those shared with everyone. */
export function savedViews(page: SavedView["page"]) {
  return reading<Page<SavedView>>(["views", page], `/api/v1/views${query({ page })}`);
}
