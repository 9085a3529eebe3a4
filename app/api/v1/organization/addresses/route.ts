import type { Tx } from "@/lib/base/db/db.ts";
import { readAddresses, saveAddresses } from "@/lib/people/organizations/addresses.ts";
import {
  type Addresses,
  addressesSchema,
  saveAddressesSchema,
} from "@/lib/people/organizations/organization-schema.ts";
import { clientAddress, countedNetworkOf, isPrivate } from "@/lib/web/http/client-address.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The networks from which the organization is reached, and one's own address as Intray sees it",
      output: addressesSchema,
    },
    ({ request, caller }) => within(caller, (tx) => readFor(request, tx)),
  ),
  PUT: route(
    {
      auth: "addresses:manage",
      stepUp: true,
      summary:
        "Set the networks from which sessions and API keys of the organization are taken, from the next call on; an empty list stands for all",
      body: saveAddressesSchema,
      output: addressesSchema,
      errors: ["own_address_outside", "addresses_changed"],
    },
    ({ request, caller, body }) =>
      within(caller, async (tx, principal) => {
        await saveAddresses(tx, principal, body, addressOf(request));
        return readFor(request, tx);
      }),
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
