/** Answers of JSON, whose text is taken as it is where nothing of Next is in between (serve.ts): past two streams. */

/** A symbol of all copies of this module: Next bundles its own into the process. */
const TEXT = Symbol.for("intray.json-answer");
type Marked = Response & { [TEXT]?: string };

/** As `Response.json`, with the headers of `init`. */
export function jsonAnswer(value: unknown, init: { status: number; headers: Headers }): Response {
  if (!init.headers.has("content-type")) init.headers.set("content-type", "application/json");
  const text = JSON.stringify(value);
  return Object.assign(new Response(text, init), { [TEXT]: text });
}

/** The bytes of an answer; null: it has no body. */
export async function bytesOf(answer: Response): Promise<Buffer | null> {
  const text = (answer as Marked)[TEXT];
  if (text !== undefined) return Buffer.from(text);
  return answer.body ? Buffer.from(await answer.arrayBuffer()) : null;
}
