import { keyRing } from "../base/key-ring.ts";
import { onePerProcess } from "../base/process/process-wide.ts";
import { createSeal, type Seal } from "../base/seal.ts";

/** Seals and opens secrets with this process's keys. */
export const sealing: () => Seal = onePerProcess("seal", () => createSeal(keyRing().keys));
