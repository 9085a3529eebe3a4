import type { Prisma } from "../../generated/prisma/client.ts";

/** A transaction of one organization; made by `withOrganization` alone. */
export type Tx = Prisma.TransactionClient;
