import type { Chore } from "./chores.ts";
import { countWhatHappened, countWhatIsOpen } from "./statistics.ts";

/** Every chore of an engine. */
export const CHORES: Chore[] = [countWhatHappened, countWhatIsOpen];
