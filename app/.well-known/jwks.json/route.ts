import { readPublicKeys } from "@/lib/requests/receipts/receipt-reads.ts";
import { publicKeysSchema } from "@/lib/requests/receipts/receipt-schema.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

/** The public keys of receipts. They are the installation's: the list names no tenant. */
export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "none", summary: "The public keys that check receipts (JWK set)", output: publicKeysSchema },
    async ({ reply }) => {
      // A new key is there before anything is signed with it, and a copy of before does not know it.
      reply.headers.set("cache-control", "public, max-age=60");
      return { keys: await readPublicKeys(await database()) };
    },
  ),
});
