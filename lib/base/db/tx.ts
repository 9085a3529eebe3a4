import type { Prisma } from "../../generated/prisma/client.ts";

/** A transaction of one organization, whose rows alone it sees. Only `withOrganization` creates one. */
export type Tx = Prisma.TransactionClient & { readonly organizationId: string };
