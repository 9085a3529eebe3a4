import { notFound } from "@/lib/base/errors.ts";
import { route } from "@/lib/web/http/route.ts";

// Answers all paths that no other route matches.
const unknown = route({ auth: "none", summary: "There is nothing here" }, async () => {
  throw notFound("address");
});

export { unknown as DELETE, unknown as GET, unknown as PATCH, unknown as POST, unknown as PUT };
