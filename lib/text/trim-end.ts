/** Removes the characters from the text's end. A pattern such as `/x+$/` would try again from each `x` of a long row. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
