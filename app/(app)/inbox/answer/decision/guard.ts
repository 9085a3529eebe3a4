import type { Choice } from "@/lib/requests/answers/form-buttons.ts";
import { isHarmless } from "@/lib/requests/destruction.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";

/**
 * How a button of a question that warns or has changed is guarded: a harmless choice is one press, any other
 * waits until the warnings are seen, and a choice that destroys is held. `choice`: null for the whole form; `asked`: what
 * stands above it.
 */
export function guardOf(
  { warnings }: Pick<InputRequestDetail, "warnings">,
  choice: Choice | null,
  asked: string | null = null,
): "none" | "look" | "hold" {
  if (choice && isHarmless(choice, asked ?? "")) return "none";
  return warnings.includes("destructive") ? "hold" : "look";
}
