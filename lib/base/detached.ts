/**
 * The same text in memory of its own. What `slice` gives is a window on the text it was cut from, in V8, and keeps all of
 * it alive: a hundred characters hold megabytes. For what is kept of a text that others may make as long as they like.
 */
export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
