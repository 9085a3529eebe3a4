/** Lists that servers hand out by pages: `tools/list`, `tasks/list`. */
import { z } from "zod";
import { PeerError } from "./peer-error.ts";

/** A page's `nextCursor`. A value that is not a string counts as missing. */
export const nextCursor = z.string().nullish().catch(null);

interface Page {
  items: unknown[];
  nextCursor?: string | null;
}

/**
 * Reads at most `most.pages` pages and returns at most `most.items` items. `read` returns an item and its key, or null for an
 * odd item, which must not hide the others. An item whose key was there before is listed once. `leftOut` counts odd and excess
 * items. Throws what `page` throws.
 *
 * Only a page without `nextCursor` is the last one by the specification, so an empty cursor is asked for, too. Reading stops
 * when a cursor repeats and its page had no new item.
 */
export async function readList<T>(
  most: { pages: number; items: number },
  page: (params: { cursor?: string }) => Promise<Page>,
  read: (item: unknown) => [key: string, item: T] | null,
): Promise<{ items: T[]; leftOut: number }> {
  const items = new Map<string, T>();
  const cursors = new Set<string>();
  let leftOut = 0;
  let cursor: string | null | undefined;
  for (let count = 0; count < most.pages && items.size < most.items; count++) {
    const before = items.size;
    const listed: Page = await page(typeof cursor === "string" ? { cursor } : {}).catch((error: unknown) => {
      // Some servers mean by an empty cursor that there is no further page.
      if (cursor === "" && error instanceof PeerError && error.code === "rejected") return { items: [] };
      throw error;
    });
    leftOut += Math.max(0, listed.items.length - most.items);
    for (const item of listed.items.slice(0, most.items)) {
      const one = read(item);
      if (one && items.has(one[0])) continue;
      if (one && items.size < most.items) items.set(...one);
      else leftOut++;
    }
    cursor = listed.nextCursor;
    if (typeof cursor !== "string" || (cursors.has(cursor) && items.size === before)) break;
    cursors.add(cursor);
  }
  return { items: [...items.values()], leftOut };
}
