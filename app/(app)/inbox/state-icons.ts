import { Ban, Check, Clock3, type LucideIcon, Send, TimerOff, Undo2 } from "lucide-react";
import type { RequestState } from "@/lib/requests/request-schema.ts";

/** Icons of the states, because colour alone conveys nothing. */
export const REQUEST_ICONS: Record<RequestState, LucideIcon> = {
  open: Clock3,
  answered: Send,
  settled: Check,
  withdrawn: Undo2,
  expired: TimerOff,
  undeliverable: Ban,
};
