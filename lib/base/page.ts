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

export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}
