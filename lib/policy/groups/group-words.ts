/** Words for changes of groups. Lines of the history may be of another version. */

import { quoted } from "../../text/foreign/quoted.ts";
import { isRecord } from "../../text/json.ts";
import { shorten } from "../../text/labels.ts";

type Fields = Record<string, unknown>;

/** What a proposal would do: `rename the group “Finance” to “Money”`. */
export function groupChangeTitle({ what, name, was }: Fields): string {
  if (typeof name !== "string") return "change a group";
  const group = `the group ${called(name)}`;
  if (what === "create") return `make ${group}`;
  if (what === "delete") return `delete ${group}`;
  return typeof was === "string" ? `rename the group ${called(was)} to ${called(name)}` : `change ${group}`;
}

/** Who was added and removed, all of them, since whoever approves a change has to see it. Empty: nobody. */
export function groupChanges({ what, was, added, removed }: Fields): string {
  const [into, out] = [names(added), names(removed)];
  return [
    ...(what === undefined && typeof was === "string" ? [`Was ${called(was)}`] : []),
    ...(into ? [`Added: ${into}`] : []),
    ...(out ? [`Removed: ${out}`] : []),
  ].join("\n");
}

const called = (name: string) => quoted(shorten(name, 100));

/** People choose their names, and two may have the same: with the address, where it is known. */
function names(list: unknown): string {
  if (!Array.isArray(list)) return "";
  return list
    .flatMap((each: unknown) => {
      if (!isRecord(each) || typeof each.name !== "string") return [];
      return [typeof each.email === "string" ? `${called(each.name)} (${each.email})` : called(each.name)];
    })
    .join(", ");
}
