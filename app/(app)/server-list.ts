import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import type { Principal } from "@/lib/access/principal.ts";
import type { Tx } from "@/lib/base/db/db.ts";
import { pageQuerySchema } from "@/lib/base/page.ts";
import { listServers } from "@/lib/servers/server-reads.ts";
import { SERVERS_SHOWN, serverList } from "@/lib/web/client/servers.ts";

/** Reads the servers under the pages' query key. */
export async function readServerList(tx: Tx, principal: Principal): Promise<ReadAlready> {
  const asked = pageQuerySchema.parse({ limit: SERVERS_SHOWN });
  return [[serverList().queryKey, await listServers(tx, principal, asked)]];
}
