import { z } from "zod";

/** Names a document of a request: a digest of where it stands there, so that nothing else can be asked for. */
export const documentIdSchema = z.string().regex(/^[\da-f]{32}$/);

export const documentSchema = z.object({
  id: documentIdSchema,
  /** A short name: the server's title or name for it, else the end of its address. Untrusted. */
  name: z.string(),
  description: z.string().nullable(),
  /** As sent: untrusted, and never fetched by Intray itself. Null: it has none. */
  uri: z.string().nullable(),
  /** As claimed; what is handed out is judged by its bytes. */
  mimeType: z.string().nullable(),
  /** In bytes: claimed for what the server has to be asked for. Null: unknown. */
  size: z.number().nullable(),
  /** Where the request has it from. `result`: of its task, or of a task that its arguments name. */
  from: z.enum(["arguments", "message", "result"]),
  /**
   * JSON pointer to the part of `from` that is only this document. Null: a message, or a value that holds more than
   * stands beside the document.
   */
  path: z.string().nullable(),
  /** `here`: Intray has it. `server`: the server is asked for it. `site`: its address is a site's. */
  kept: z.enum(["here", "server", "site"]),
  /** Of the task that brings it along, which may be a related one: the server that is asked for it. */
  server: z.object({ id: z.uuid(), name: z.string() }),
});
export type RequestDocument = z.infer<typeof documentSchema>;

/** In the order of their importance: of the arguments, the message, the results. */
export const documentsSchema = z.object({ items: z.array(documentSchema) });
export type RequestDocuments = z.infer<typeof documentsSchema>;
