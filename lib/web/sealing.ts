import { keyRing } from "../base/key-ring.ts";
import { createSeal, type Seal } from "../base/seal.ts";

let made: Seal | undefined;

/** Seals and opens secrets with this process's keys. */
export function sealing(): Seal {
  made ??= createSeal(keyRing().keys);
  return made;
}
