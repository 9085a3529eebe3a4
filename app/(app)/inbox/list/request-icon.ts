import { FileCheck2, Link2, type LucideIcon, MessageSquareText, Trash2, UserRound } from "lucide-react";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";

const ICONS: [RegExp, LucideIcon][] = [
  [/delete|remove|purge|drop|destroy|wipe/i, Trash2],
  [/invoice|payment|expense|approv|contract|order/i, FileCheck2],
  [/access|grant|invite|member|permission/i, UserRound],
];

/** A hint at what it is about, from the tool's name; nothing depends on it. */
export function requestIcon(request: Pick<InputRequestSummary, "mode" | "tool">): LucideIcon {
  if (request.mode === "url") return Link2;
  return ICONS.find(([pattern]) => pattern.test(request.tool))?.[1] ?? MessageSquareText;
}
