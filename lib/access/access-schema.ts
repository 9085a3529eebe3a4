import { z } from "zod";
import { ROLES } from "./roles.ts";

export const roleSchema = z.enum(ROLES);

/** A person as shown to others. */
export const personSchema = z.object({ id: z.uuid(), name: z.string() });
export type Person = z.infer<typeof personSchema>;

/**
 * The author of a change: a member, an API key, an agent (a program that reaches Intray by MCP), a rule of the policy that answers by
 * itself, the engine or the system.
 */
export const actorSchema = z.object({
  kind: z.enum(["member", "key", "agent", "rule", "engine", "system"]),
  id: z.string().nullable(),
  name: z.string(),
  /** Of a key that acts for a service account, whose name it has. */
  serviceAccount: z.literal(true).optional(),
});
export type Actor = z.infer<typeof actorSchema>;

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
