/** Which Adaptive Cards Teams takes (https://adaptivecards.io/explorer), of those elements that bots of ours may use. */

// biome-ignore lint/suspicious/noExplicitAny: of any card
type Part = any;

const STYLES = ["default", "positive", "destructive"];
const optional = (type: string) => (value: unknown) => value === undefined || typeof value === type;
const isText = optional("string");
const isFlag = optional("boolean");
const needed = (value: unknown) => typeof value === "string" && value !== "";

const INPUT = { id: needed, label: isText, isRequired: isFlag, errorMessage: isText };

/** The properties of each element and action, and what each may be. */
const KNOWN: Record<string, Record<string, (value: Part) => boolean>> = {
  Container: { items: Array.isArray, style: isText },
  RichTextBlock: { inlines: Array.isArray },
  TextRun: { text: needed, size: isText, weight: isText, isSubtle: isFlag },
  "Input.Text": { ...INPUT, isMultiline: isFlag, maxLength: optional("number"), value: isText },
  "Input.Number": { ...INPUT, value: optional("number") },
  "Input.Date": { ...INPUT, value: (value) => value === undefined || /^\d{4}-\d{2}-\d{2}$/.test(value) },
  "Input.ChoiceSet": { ...INPUT, choices: Array.isArray, value: isText },
  "Action.Execute": { title: needed, verb: isText, data: optional("object"), style: isStyle },
  "Action.Submit": { title: needed, data: optional("object"), style: isStyle },
  "Action.OpenUrl": { title: needed, url: (value) => URL.canParse(value) },
};

function isStyle(value: unknown): boolean {
  return value === undefined || STYLES.includes(value as string);
}

/** Returns why Teams does not take the card, or null. */
export function refusedInCard(card: Part): string | null {
  if (card?.type !== "AdaptiveCard") return "no card";
  if (!/^1\.[0-5]$/.test(card.version)) return `no version ${card.version}`;
  const others = Object.keys(card).filter((name) => !["type", "version", "body", "actions"].includes(name));
  if (others.length > 0) return `no ${others[0]} of a card`;
  if ((card.actions ?? []).length > 6) return "too many actions";
  const parts = [...(card.body ?? []), ...(card.actions ?? [])];
  return parts.map(refusedIn).find((each) => each !== null) ?? null;
}

function refusedIn(part: Part): string | null {
  const known = KNOWN[part?.type];
  if (!known) return `no ${part?.type}`;
  for (const name of Object.keys(part))
    if (name !== "type" && !Object.hasOwn(known, name)) return `no ${name} of ${part.type}`;
  for (const [name, isFit] of Object.entries(known))
    if (!isFit(part[name])) return `a wrong ${name} of ${part.type}`;
  const inner = [...(part.items ?? []), ...(part.inlines ?? [])];
  return inner.map(refusedIn).find((each) => each !== null) ?? null;
}

/** All texts of a card, in order, and the titles of its actions. */
export function textsOf({ card }: { card: Part }): string[] {
  const texts = (part: Part): string[] => [
    ...(part.type === "TextRun" ? [part.text] : []),
    ...[...(part.items ?? []), ...(part.inlines ?? [])].flatMap(texts),
  ];
  return [...(card?.body ?? []).flatMap(texts), ...(card?.actions ?? []).map(({ title }: Part) => title)];
}
