import type { Prisma } from "../../generated/prisma/client.ts";

/** A transaction of one organization. Only `withOrganization` creates one. */
export type Tx = Prisma.TransactionClient;
