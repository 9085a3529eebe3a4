import { z } from "zod";
import { documentIdSchema } from "@/lib/requests/documents/document-schema.ts";
import { readDocument } from "@/lib/requests/documents/read.ts";
import { savedName } from "@/lib/requests/words/document-words.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services } from "@/lib/web/tenant.ts";
import { DOCUMENTS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "requests:read",
      summary: "One document of a request. Intray reads it from the server now, unless it is embedded",
      params: idParams.extend({ documentId: documentIdSchema }),
      output: z.string().describe("The bytes: text/plain, application/pdf, or an image"),
      mediaType: "application/octet-stream",
      foreignBytes: true,
      leavesTrace: true,
      errors: [
        "no_longer_open",
        "throttled",
        "document_too_large",
        "document_not_shown",
        "server_paused",
        "server_unavailable",
      ],
    },
    async ({ request, caller: { principal }, params }) => {
      await throttle(`documents ${principal.actor.kind} ${principal.actor.id}`, DOCUMENTS_PER_CALLER);
      const { name, mediaType, bytes } = await readDocument(
        await services(),
        principal,
        params.id,
        params.documentId,
        request.signal,
      );
      return new Response(new Uint8Array(bytes), {
        headers: {
          "content-type": mediaType,
          "content-length": String(bytes.length),
          // A browser that is led here saves the file, and never opens it as one of our pages.
          "content-disposition": `attachment; filename*=UTF-8''${fileName(savedName(name, mediaType))}`,
          "cache-control": "private, no-store",
        },
      });
    },
  ),
});

/** RFC 8187: percent-encoded, without what leads to another folder or cannot be seen. */
function fileName(name: string): string {
  const plain = name.toWellFormed().replace(/[/\\\p{C}]/gu, "_");
  return encodeURIComponent(plain).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}
