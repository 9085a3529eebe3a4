/** The calls that tell what the service is (RFC 7644, section 4). */
import { LIST_SCHEMA } from "../../people/directory/scim/discovery.ts";
import { resourceNotFound, ScimError } from "../../people/directory/scim/error.ts";
import { type ScimAnswer, type ScimCall, scimBase } from "./scim.ts";

type Make = (base: string) => { id: string }[];

/** A list that nobody filters: RFC 7644 wants such a call refused. */
export async function definitions({ query }: ScimCall, make: Make): Promise<ScimAnswer> {
  if (query.has("filter")) throw new ScimError(403, null, "This list is not filtered.");
  const all = make(scimBase());
  const body = {
    schemas: [LIST_SCHEMA],
    totalResults: all.length,
    startIndex: 1,
    itemsPerPage: all.length,
    Resources: all,
  };
  return { status: 200, body };
}

export async function definition({ request }: ScimCall, make: Make): Promise<ScimAnswer> {
  const name = decodeURIComponent(new URL(request.url).pathname.split("/").at(-1) ?? "");
  const found = make(scimBase()).find(({ id }) => id === name);
  if (!found) throw resourceNotFound();
  return { status: 200, body: found };
}
