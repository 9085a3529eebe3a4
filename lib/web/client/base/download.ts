import type { StepUp } from "@/lib/people/accounts/account-schema.ts";
import { api, askFactor } from "@/lib/web/client/base/client.ts";

/**
 * Has the browser download a file whose call asks for a factor. The browser downloads by itself, so that nothing of it
 * can ask on the way: the person is asked before.
 */
export async function downloadAsPerson(path: string): Promise<void> {
  const { fresh } = await api.get<StepUp>("/api/v1/me/step-up");
  if (fresh || (await askFactor())) window.location.assign(path);
}
