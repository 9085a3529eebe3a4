import type { Database } from "./db/db.ts";
import type { Network } from "./network.ts";
import type { Seal } from "./seal.ts";

/** What work that reaches other machines needs of the process. */
export interface Services {
  db: Database;
  network: Network;
  seal: Seal;
}
