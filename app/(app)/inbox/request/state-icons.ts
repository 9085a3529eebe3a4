import { Ban, Check, Clock3, type LucideIcon, Send, TimerOff, Undo2 } from "lucide-react";
import type { RequestState } from "@/lib/input-requests/schema.ts";

/** Beside the word of each state, as colour alone tells nothing. */
export const REQUEST_ICONS: Record<RequestState, LucideIcon> = {
  open: Clock3,
  answered: Send,
  settled: Check,
  withdrawn: Undo2,
  expired: TimerOff,
  undeliverable: Ban,
};
