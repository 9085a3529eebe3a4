"use client";

import { useQueries, useQuery } from "@tanstack/react-query";
import { Button } from "@/components/ui/button.tsx";
import { FEWEST_STARTS, MOST_STARTS } from "@/lib/lifecycle/races/race-schema.ts";
import type { ServerTool } from "@/lib/servers/server-schema.ts";
import { serverList, serverTools } from "@/lib/web/client/servers.ts";

/** Limits how many servers are asked for their tools at once. */
const MOST_ASKED = 20;

/**
 * Other servers with a tool of the same name, for a race. `chosen` is null until the person asks for a race.
 */
export function RaceOptions({
  server,
  tool,
  chosen,
  onChange,
}: {
  server: { id: string; name: string };
  tool: ServerTool;
  chosen: string[] | null;
  onChange: (serverIds: string[] | null) => void;
}) {
  const servers = useQuery(serverList());
  const others = (servers.data?.items ?? [])
    .filter(({ id, startsOn }) => id !== server.id && startsOn !== null)
    .slice(0, MOST_ASKED);
  const asked = useQueries({
    queries: others.map(({ id }) => ({ ...serverTools(id), enabled: chosen !== null })),
  });
  if (others.length === 0) return null;
  if (chosen === null) {
    return (
      <Button variant="link" className="self-start px-0" onClick={() => onChange([])}>
        Start it on several servers…
      </Button>
    );
  }
  const offers = others.map((other, at) => {
    const offered = asked[at]?.data?.items.find(({ name }) => name === tool.name);
    return { ...other, offered, isPending: asked[at]?.isPending ?? false };
  });
  const fitting = offers.filter(({ offered }) => offered);
  const isPending = offers.some((offer) => offer.isPending);
  const toggle = (id: string) =>
    chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id];
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5 rounded-lg border border-line p-4">
      <legend className="px-1 font-medium text-[13px]">Race: start it on several servers</legend>
      <p className="-mt-1 text-[13px] text-muted">
        The task starts on all servers at the same time. The first that completes without an error wins. The
        others are cancelled; the work that they have already done is not undone.
      </p>
      <label className="flex items-center gap-2.5 text-muted max-md:min-h-11">
        <input type="checkbox" className="size-4 shrink-0" checked disabled />
        {server.name}
      </label>
      {fitting.map(({ id, name, offered }) => (
        <label key={id} className="flex items-center gap-2.5 max-md:min-h-11">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-(--accent)"
            checked={chosen.includes(id)}
            disabled={!chosen.includes(id) && chosen.length >= MOST_STARTS - 1}
            onChange={() => onChange(toggle(id))}
          />
          <span>
            {name}
            {offered && !isSame(offered, tool) && (
              <span className="text-muted"> · may need different arguments</span>
            )}
          </span>
        </label>
      ))}
      <p role="status" className="text-[13px] text-muted empty:hidden">
        {isPending
          ? "Asking the other servers for their tools…"
          : fitting.length < FEWEST_STARTS - 1 &&
            `No other server that you are connected to offers ${tool.name}.`}
      </p>
      <Button variant="link" className="self-start px-0" onClick={() => onChange(null)}>
        Start it on {server.name} alone
      </Button>
    </fieldset>
  );
}

function isSame(one: ServerTool, other: ServerTool): boolean {
  return JSON.stringify(one.inputSchema) === JSON.stringify(other.inputSchema);
}
