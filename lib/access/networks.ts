import { z } from "zod";

/** Most networks of one list. */
const MOST_NETWORKS = 50;

const address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** An IPv4 or IPv6 network such as `203.0.113.0/24`, or one address. */
const networkSchema = z
  .string()
  .trim()
  .max(60)
  .refine((text) => address.safeParse(text).success, "Write an address or a network, such as 203.0.113.0/24")
  .refine((text) => !/\/0+$/.test(text), "This is every address: leave the list empty instead")
  .refine((text) => !/^[0:]*:ffff:[0-9a-f.:]*(\/\d+)?$/i.test(text), "Write it as an IPv4 network");

/** Networks that calls may come from; an empty list stands for all of them. */
export const networksSchema = z
  .array(networkSchema)
  .max(MOST_NETWORKS, `At most ${MOST_NETWORKS} networks`)
  .transform((networks) => [...new Set(networks)]);
