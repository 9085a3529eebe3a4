import type { Database } from "../db/db.ts";
import type { Network } from "../network/network.ts";
import type { Seal } from "../seal.ts";

/** The services of the process for work that reaches other machines. */
export interface Services {
  db: Database;
  network: Network;
  seal: Seal;
}
