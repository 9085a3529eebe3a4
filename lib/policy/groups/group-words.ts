/** Words for changes of groups. Lines of the history may be of another version. */
import { shorten } from "../../text/labels.ts";

type Fields = Record<string, unknown>;

/** What a proposal would do: `rename the group “Finance” to “Money”`. */
export function groupChangeTitle({ what, name, was }: Fields): string {
  if (typeof name !== "string") return "change a group";
  const its = `the group “${shorten(name, 100)}”`;
  if (what === "create") return `make ${its}`;
  if (what === "delete") return `delete ${its}`;
  return typeof was === "string"
    ? `rename the group “${shorten(was, 100)}” to “${shorten(name, 100)}”`
    : `change ${its}`;
}

/** Who was added and removed, all of them, since whoever approves a change has to see it. Empty: nobody. */
export function groupChanges({ what, was, added, removed }: Fields): string {
  const [into, out] = [names(added), names(removed)];
  return [
    ...(what === undefined && typeof was === "string" ? [`Was “${shorten(was, 100)}”`] : []),
    ...(into ? [`Added: ${into}`] : []),
    ...(out ? [`Removed: ${out}`] : []),
  ].join("\n");
}

function names(list: unknown): string {
  if (!Array.isArray(list)) return "";
  return list
    .flatMap((each: unknown) =>
      typeof each === "object" && each !== null && "name" in each && typeof each.name === "string"
        ? [shorten(each.name, 100)]
        : [],
    )
    .join(", ");
}
