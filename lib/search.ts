/** An ILIKE pattern for texts that contain `words`, whose own wildcards mean themselves. */
export function containing(words: string): string {
  return `%${words.trim().replace(/[\\%_]/g, "\\$&")}%`;
}
