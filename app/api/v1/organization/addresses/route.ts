import type { Tx } from "@/lib/base/db/db.ts";
import { readAddresses, saveAddresses } from "@/lib/people/organizations/addresses.ts";
import {
  type Addresses,
  addressesSchema,
  saveAddressesSchema,
} from "@/lib/people/organizations/organization-schema.ts";
import { clientAddress, countedNetworkOf, isPrivate } from "@/lib/web/http/client-address.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "settings:manage",
      summary:
        "The networks from which the organization can be reached, and your own address as Intray sees it",
      output: addressesSchema,
    },
    (tx, { request }) => readFor(request, tx),
  ),
  PUT: tenantRoute(
    {
      auth: "addresses:manage",
      stepUp: true,
      summary:
        "Set the networks from which sessions and API keys of the organization are accepted, from the next call on. An empty list allows all",
      body: saveAddressesSchema,
      output: addressesSchema,
      errors: ["own_address_outside", "addresses_changed"],
    },
    async (tx, { principal, request, body }) => {
      await saveAddresses(tx, principal, body, addressOf(request));
      return readFor(request, tx);
    },
  ),
});

const addressOf = (request: Request) => clientAddress(request.headers.get("x-forwarded-for"));

async function readFor(request: Request, tx: Tx): Promise<Addresses> {
  const address = addressOf(request);
  const network = countedNetworkOf(address);
  return {
    ...(await readAddresses(tx)),
    seen: { address, network: network === "unknown" ? null : network, isPrivate: isPrivate(address) },
  };
}
