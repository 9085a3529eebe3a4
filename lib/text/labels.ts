/** The colour of a label. */
export type Tone = "neutral" | "accent" | "wait" | "bad" | "good";

const ACRONYMS = new Set(["id", "url", "uri", "api", "iban", "vat", "erp", "sku", "ip", "usd", "eur"]);

/** Splits the title of a choice from what it sends, which stands behind it (lib/mcp/forms/choices.ts). */
export function splitSent(title: string): { called: string; sent: string } {
  const at = title.lastIndexOf(" (sends ");
  if (at < 0 || !title.endsWith(")")) return { called: title, sent: "" };
  return { called: title.slice(0, at), sent: title.slice(at) };
}

/** Turns `due_date` and `dueDate` into `Due date`, and `invoice_id` into `Invoice ID`. */
export function humanise(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[\s_.-]+/)
    .filter(Boolean)
    .map((word) => (ACRONYMS.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()));
  return capitalise(words.join(" ")) || name;
}

/** With its blanks (one behind another as its code), its capitals, and no character that another may look like. */
export function asJson(name: string): string {
  return JSON.stringify(name).replace(
    /[^ -~]| (?= )/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** For words amid a sentence: `Answered “Yes”` becomes `answered “Yes”`. */
export function uncapitalise(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Cuts long text after a word. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > length / 2 ? space : undefined)}…`;
}

/** Longer addresses are shown without their middle. */
export const ADDRESS_CHARACTERS = 240;

/** A long address without its middle: the host and the file's name both stay. */
export function bothEnds(address: string): string {
  return address.length > ADDRESS_CHARACTERS ? `${address.slice(0, 120)} … ${address.slice(-119)}` : address;
}
