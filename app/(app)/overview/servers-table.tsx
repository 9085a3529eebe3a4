"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "@/components/chart/chart-card.tsx";
import { HealthBadge, LateLine } from "@/components/server/health.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { Link } from "@/components/ui/link.tsx";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { failedIn, formatLatency, formatShare, tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import type { Overview, ServerFigures } from "@/lib/requests/statistics/statistics-schema.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { serverList } from "@/lib/web/client/servers.ts";

/** The servers with their health and figures. */
export function ServersTable({ figures }: { figures: Overview }) {
  const servers = useQuery(serverList());
  const byId = new Map(figures.servers.map((each) => [each.server.id, each]));
  const list = servers.data?.items ?? [];
  if (list.length === 0) return null;
  return (
    <Card title="Servers" note="Success rate and latency: calls of the last 24 hours">
      <ScrollX label="Figures of each server" className="-mx-4 -mb-4 rounded-t-none border-x-0 border-b-0">
        <table className="w-full border-collapse">
          <thead>
            <tr className="border-line border-b text-left text-muted text-xs">
              {["Server", "Health", "Protocol version"].map((column) => (
                <th key={column} scope="col" className="px-4 py-2 font-medium">
                  {column}
                </th>
              ))}
              {["Open", "Completed", "Failed", "Success rate", "p90 latency"].map((column) => (
                <th key={column} scope="col" className="whitespace-nowrap px-4 py-2 text-right font-medium">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.map((server) => (
              <Row key={server.id} server={server} figures={byId.get(server.id)} from={figures.from} />
            ))}
          </tbody>
        </table>
      </ScrollX>
    </Card>
  );
}

function Row({
  server,
  figures,
  from,
}: {
  server: Server;
  figures: ServerFigures | undefined;
  from: string;
}) {
  const open = figures ? Object.values(figures.open).reduce((sum, count) => sum + count, 0) : 0;
  const { successRate, p90Ms } = server.lastDay;
  const formats = useFormats();
  return (
    <tr className="border-line border-b last:border-0">
      <th scope="row" className="whitespace-nowrap px-4 py-2 text-left font-medium">
        <Link href={`/servers/${server.id}`} className="rounded-sm hover:underline">
          {server.name}
        </Link>
      </th>
      <td className="px-4 py-2">
        <HealthBadge health={server.health} />
        {server.late && <LateLine late={server.late} className="mt-1 min-w-52 text-muted text-xs" />}
      </td>
      <td className="px-4 py-2">{server.era ? <EraBadge era={server.era} /> : "—"}</td>
      <Count value={open} href={tasksHref({ state: OPEN, serverId: server.id })} />
      <Count
        value={figures?.ended.completed ?? 0}
        href={tasksHref({ state: "completed", serverId: server.id, finishedAfter: from })}
      />
      <Count
        value={figures ? failedIn(figures) : 0}
        href={tasksHref({ state: "failed,lost,expired", serverId: server.id, finishedAfter: from })}
      />
      <td className="px-4 py-2 text-right">
        {successRate === null ? "—" : formatShare(successRate, formats)}
      </td>
      <td className="px-4 py-2 text-right text-muted">
        {p90Ms === null ? "—" : formatLatency(p90Ms, formats)}
      </td>
    </tr>
  );
}

const OPEN = "queued,starting,start_unknown,working,input_required";

function Count({ value, href }: { value: number; href: string }) {
  const { number } = useFormats();
  return (
    <td className="px-4 py-2 text-right">
      {value === 0 ? (
        <span className="text-muted">0</span>
      ) : (
        <Link href={href} className="rounded-sm hover:underline">
          {number(value)}
        </Link>
      )}
    </td>
  );
}
