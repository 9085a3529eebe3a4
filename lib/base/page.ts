import { z } from "zod";

/** The query `?limit=&cursor=` of every list. */
export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});
export type PageQuery = z.infer<typeof pageQuerySchema>;

/** A time to filter by, in any zone. Postgres rejects year 0. */
export const queryTimeSchema = z.iso
  .datetime({ offset: true })
  .refine((text) => text >= "0001", "Use a year from 1 on")
  .refine((text) => !/[+-](1[6-9]|2\d):\d\d$/.test(text), "Use an offset of less than 16 hours");

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** A page of a list that can be searched. */
export interface SearchedPage<T> extends Page<T> {
  /** What tasks are about is sealed: the search found tools and servers alone. */
  contentNotSearched?: true;
}

export function searchedPageSchema<T extends z.ZodType>(item: T) {
  return pageSchema(item).extend({ contentNotSearched: z.literal(true).optional() });
}

export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}
