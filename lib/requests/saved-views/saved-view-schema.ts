import { z } from "zod";
import { personSchema } from "../../access/access-schema.ts";
import { recordOfAtMost } from "../../text/schemas/bounded.ts";

/** The pages whose lists can be saved as a view. */
const viewPageSchema = z.enum(["inbox", "tasks"]);
export type ViewPage = z.infer<typeof viewPageSchema>;

const name = z.string().trim().min(1, "Give it a name").max(60);
/** The page's own URL parameters, e.g. `{tab: "all", q: "acme"}`. */
const query = recordOfAtMost(20, "At most 20 parameters", z.string().min(1).max(40), z.string().max(300));

/** `mine`: the caller made the view. Only its maker may change a view; admins may change shared ones too. */
export const savedViewSchema = z.object({
  id: z.uuid(),
  page: viewPageSchema,
  name: z.string(),
  query,
  shared: z.boolean(),
  mine: z.boolean(),
  owner: personSchema,
});
export type SavedView = z.infer<typeof savedViewSchema>;

export const createViewSchema = z.strictObject({
  page: viewPageSchema,
  name,
  query,
  shared: z.boolean().default(false),
});
export type CreateViewInput = z.infer<typeof createViewSchema>;

export const updateViewSchema = z.strictObject({
  name: name.optional(),
  query: query.optional(),
  shared: z.boolean().optional(),
});
export type UpdateViewInput = z.infer<typeof updateViewSchema>;

export const viewListQuerySchema = z.object({ page: viewPageSchema.optional() });
