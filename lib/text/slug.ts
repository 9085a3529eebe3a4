/** The shape that the database demands too. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A slug for a name, e.g. `acme-gmbh`; `organization` where nothing of the name fits. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mark}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replace(/^-+|-+$/g, "");
  return SLUG.test(slug) ? slug : "organization";
}
