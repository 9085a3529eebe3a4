"use client";

import { Search } from "lucide-react";
import { useId, useState } from "react";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { ToolHints } from "@/components/task/tool-hints.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Input } from "@/components/ui/field.tsx";
import type { ServerTool } from "@/lib/servers/server-schema.ts";
import { plural } from "@/lib/text/labels.ts";

/** From this number of tools on, the list has a search field and scrolls. */
const MANY = 7;

/** The server's tools with their descriptions. */
export function ToolPicker({
  tools,
  chosen,
  onChoose,
}: {
  tools: ServerTool[];
  chosen: string | null;
  onChoose: (name: string) => void;
}) {
  const id = useId();
  const [search, setSearch] = useState("");
  if (tools.length === 0) return <p className="text-muted">This server offers no tools.</p>;
  const isMany = tools.length >= MANY;
  const found = tools.filter((tool) => isMatch(tool, search));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium text-[13px]">Tool</legend>
      {isMany && (
        <div className="relative">
          <Search
            aria-hidden
            strokeWidth={1.75}
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
          />
          <Input
            type="search"
            aria-label="Search tools"
            aria-describedby={`${id}-found`}
            placeholder={`Search ${tools.length} tools`}
            className="pl-9"
            value={search}
            // The search field is no part of the page's form: Enter chooses the first tool instead of
            // submitting.
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              if (found[0]) onChoose(found[0].name);
            }}
            onChange={(event) => setSearch(event.target.value)}
          />
          <p id={`${id}-found`} role="status" className="sr-only">
            {search && `${plural(found.length, "tool")} found`}
          </p>
        </div>
      )}
      {found.length === 0 && <p className="text-[13px] text-muted">No tool of this server has “{search}”.</p>}
      <div
        className={cn(
          "flex flex-col divide-y divide-line rounded-lg border border-line bg-panel empty:hidden",
          isMany ? "max-h-88 overflow-y-auto" : "overflow-hidden",
        )}
      >
        {found.map((tool) => (
          <label
            key={tool.name}
            className={cn(
              "relative flex items-start gap-3 px-3.5 py-3 has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:-outline-offset-2",
              tool.name === chosen ? "bg-accent-soft" : "hover:bg-sunken",
            )}
          >
            <input
              type="radio"
              name="tool"
              className="mt-0.5 size-4 shrink-0 accent-(--accent) outline-none"
              checked={tool.name === chosen}
              onChange={() => onChoose(tool.name)}
            />
            <span className="flex min-w-0 flex-1 flex-col gap-1">
              <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <span className="font-medium">{tool.title ?? tool.name}</span>
                {tool.title && <span className="font-mono text-muted text-xs">{tool.name}</span>}
                <ToolHints tool={tool} />
                {tool.taskSupport === "forbidden" && <NotDurableBadge short />}
              </span>
              {tool.description && (
                <span className={cn("text-[13px] text-muted", tool.name !== chosen && "line-clamp-3")}>
                  {tool.description}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function isMatch({ name, title, description }: ServerTool, search: string): boolean {
  const text = `${name} ${title ?? ""} ${description ?? ""}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
