import { notFound } from "@/lib/base/errors.ts";
import { route } from "@/lib/web/http/route.ts";

// Whatever no other route answers.
const unknown = route({ auth: "none", summary: "There is nothing here" }, async () => {
  throw notFound("address");
});

export { unknown as DELETE, unknown as GET, unknown as PATCH, unknown as POST, unknown as PUT };
