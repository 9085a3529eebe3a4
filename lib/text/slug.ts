/** The slug pattern, also enforced by the database. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Returns a slug for a name, e.g. `acme-gmbh`, or `organization` if no character of the name is usable. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mark}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replace(/^-|-$/g, "");
  return SLUG.test(slug) ? slug : "organization";
}
