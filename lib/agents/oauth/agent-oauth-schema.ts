import { z } from "zod";

/** What a client may say of itself when it registers (RFC 7591). Whatever else it says is left out. */
export const registrationSchema = z.object({
  redirect_uris: z.array(z.string().max(2_000)).min(1).max(20),
  client_name: z.string().max(1_000).optional(),
  client_uri: z
    .url({ protocol: /^https?$/ })
    .max(1_000)
    .optional(),
  grant_types: z.array(z.string().max(200)).max(20).optional(),
  response_types: z.array(z.string().max(200)).max(20).optional(),
});

/** Metadata of a client, as the authorization server keeps them. */
export const clientMetadataSchema = z.record(z.string(), z.unknown());

/** What a member is asked, and by whom. The names of `client` are what the client says. */
export const agentQuestionSchema = z.object({
  params: z.object({ client_id: z.string(), redirect_uri: z.string() }),
  client: z.object({
    name: z.string().nullable(),
    /** The host that publishes the client's metadata document; null: the client registered by itself. */
    publisher: z.string().nullable(),
    metadata: clientMetadataSchema,
  }),
});
export type AgentQuestion = z.infer<typeof agentQuestionSchema>;

/** The handle of a question, in the address of its page. */
export const questionHandleSchema = z.string().regex(/^[\w-]{16,64}$/);

export const answerAgentSchema = z.object({
  request: questionHandleSchema,
  decision: z.enum(["allow", "deny"]),
});

/** Where the browser goes on: back to the client, by the authorization server. */
export const answeredAgentSchema = z.object({ url: z.string() });
