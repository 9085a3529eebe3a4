/** Scoped reads of saved views: a member's own, and those that others share. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { type SavedView, savedViewSchema, type ViewPage } from "./saved-view-schema.ts";

/** All views that the member may use, by name; of one page if given. */
export async function listViews(tx: Tx, userId: string, page: ViewPage | undefined): Promise<SavedView[]> {
  const ofPage = page ? Prisma.sql`AND v.page = ${page}` : Prisma.empty;
  const rows = await tx.$queryRaw<ViewRow[]>`${SELECT} WHERE ${usable(tx.organizationId, userId)} ${ofPage}
    ORDER BY lower(v.name), v.id`;
  return rows.map((row) => toView(userId, row));
}

/** Throws `not_found`, also for another member's private view. */
export async function readView(tx: Tx, userId: string, viewId: string): Promise<SavedView> {
  const [row] = await tx.$queryRaw<ViewRow[]>`${SELECT}
    WHERE ${usable(tx.organizationId, userId)} AND v.id = ${viewId}::uuid`;
  if (!row) throw notFound("view");
  return toView(userId, row);
}

const SELECT = Prisma.sql`SELECT v.id, v.page, v.name, v.query, v.shared, u.id AS "ownerId", u.name AS "ownerName"
  FROM saved_view v JOIN "user" u ON u.id = v.user_id`;

function usable(organizationId: string, userId: string): Prisma.Sql {
  return Prisma.sql`v.organization_id = ${organizationId}::uuid AND (v.shared OR v.user_id = ${userId}::uuid)`;
}

interface ViewRow {
  id: string;
  page: string;
  name: string;
  query: unknown;
  shared: boolean;
  ownerId: string;
  ownerName: string;
}

function toView(userId: string, { ownerId, ownerName, ...row }: ViewRow): SavedView {
  return savedViewSchema.parse({
    ...row,
    mine: ownerId === userId,
    owner: { id: ownerId, name: ownerName },
  });
}
