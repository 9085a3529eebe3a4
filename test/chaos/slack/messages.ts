/** Reads messages at Slack as people and their presses do. Pure. */
import { z } from "zod";
import type { SlackMessage as Posted } from "../../servers/slack/slack.ts";
import type { Decision } from "../invoices.ts";

/** A message as it stands in a conversation. */
export type SlackMessage = Pick<Posted, "blocks" | "channel" | "edits" | "ts">;

const valueSchema = z.object({
  request: z.string(),
  kind: z.enum(["accept", "decline", "change", "revise"]),
  content: z.record(z.string(), z.unknown()).nullable(),
});

export interface Button {
  actionId: string;
  value: z.infer<typeof valueSchema>;
}

/** The buttons of a message that decide with no more than a reason. */
export function pressableIn({ blocks }: Pick<SlackMessage, "blocks">): Button[] {
  const elements = (blocks.at(-1)?.elements ?? []) as { action_id: string; value?: string }[];
  return elements.flatMap(({ action_id: actionId, value }): Button[] => {
    if (value === undefined) return [];
    // As it was sent: a press repeats it whole.
    const parsed = z.looseObject(valueSchema.shape).parse(JSON.parse(value));
    return parsed.kind === "accept" || parsed.kind === "decline" ? [{ actionId, value: parsed }] : [];
  });
}

export function decisionIn({ kind, content }: Button["value"]): Decision {
  return kind === "decline" ? { action: "decline" } : { action: "accept", content: content ?? {} };
}

/** The request that a message is about; null: it is about something else. */
export function requestIn({ blocks }: Pick<SlackMessage, "blocks">): string | null {
  const elements = (blocks.at(-1)?.elements ?? []) as { url?: string }[];
  const link = elements.flatMap(({ url }) => url ?? []).at(0);
  return /\/inbox\/([0-9a-f-]{36})$/.exec(link ?? "")?.[1] ?? null;
}

/** What stands at the top of a message. */
export function titleOf({ blocks }: Pick<SlackMessage, "blocks">): string {
  return String(blocks[0]?.text?.text ?? "");
}
