import { Ellipsis, FolderSync } from "lucide-react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import type { Group } from "@/lib/policy/groups/group-schema.ts";
import { plural } from "@/lib/text/labels.ts";

/** Members who are named in the list. */
const NAMED = 8;

/** A group, who is in it, and where the policy names it. */
export function GroupRow({ group, onAsk }: { group: Group; onAsk: (what: "edit" | "delete") => void }) {
  const { name, origin, members, size, usedIn, askedIn } = group;
  const named = members.slice(0, NAMED).map(labelOf);
  const more = Math.max(size, members.length) - named.length;
  return (
    <li className="flex items-start gap-3 py-3 first:pt-0 last:pb-0">
      <span className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <span className="min-w-0 break-words font-medium">
            <PlainText text={name} />
          </span>
          {origin === "directory" && <Badge icon={FolderSync}>Directory</Badge>}
        </span>
        <span className="break-words text-[13px] text-muted">
          {named.length === 0 ? (
            "Nobody is in it"
          ) : (
            <PlainText text={`${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`} />
          )}
        </span>
        <span className="break-words text-[13px] text-muted">
          <PlainText
            text={usedIn.length + askedIn.length === 0 ? "The policy does not name it" : usesOf(group)}
          />
        </span>
      </span>
      {origin === "organization" && (
        <Menu
          trigger={
            <Button size="icon" variant="ghost" className="h-9 w-9" aria-label={`More for ${name}`}>
              <Ellipsis aria-hidden strokeWidth={1.75} />
            </Button>
          }
        >
          <MenuItem onSelect={() => onAsk("edit")}>Edit…</MenuItem>
          <MenuSeparator />
          <MenuItem onSelect={() => onAsk("delete")}>Delete…</MenuItem>
        </Menu>
      )}
    </li>
  );
}

/** `Ben (suspended)` */
export function labelOf({ name, suspended }: Group["members"][number]): string {
  return suspended ? `${name} (suspended)` : name;
}

/** Uses that are named in the list. */
const TOLD = 3;

/** `Policy: Large invoices, stage Finance (as “finance”)` */
function usesOf({ name, usedIn, askedIn }: Group): string {
  const uses = [
    ...usedIn.map(
      ({ rule, stage, how, as }) =>
        `${rule}, ${how === "escalation" ? "asked later in" : "stage"} ${stage}${as === name ? "" : ` (as “${as}”)`}`,
    ),
    ...askedIn.map((rule) => `${rule}, condition`),
  ];
  const more = uses.length - TOLD;
  return `Policy: ${uses.slice(0, TOLD).join("; ")}${more > 0 ? `; ${plural(more, "other place")}` : ""}`;
}
