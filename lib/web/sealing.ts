import { need } from "../base/env.ts";
import { createSeal, type Seal } from "../base/seal.ts";

let made: Seal | undefined;

/** Seals and opens secrets with INTRAY_KEYS. */
export function sealing(): Seal {
  made ??= createSeal(need("keys"));
  return made;
}
