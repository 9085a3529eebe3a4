/** Reads what a question asks for, if it is an act that Intray knows: “Shall we pay INV-7 to ACME?”. Pure. */
import { bareText } from "../../text/foreign/hidden.ts";
import { destructiveWord } from "../destruction.ts";

const listed = (words: string) => new Set(words.split(" "));

/** Words that may stand before an act: “Shall we really delete it?”. */
const BEFORE = listed(
  "please now so and shall should may can could would will do you i we they me us want like about to really permanently confirm",
);
/** Words between an act and its object. Alone they are the object: “Pay it?”. */
const DETERMINERS = listed("the this that these those it them all an a my your our");
/** Words after an object. What follows them says more about it, and makes no other question of it. */
const CONNECTORS = listed("of to for over at with into in on worth");

/** Things that say nothing about what they are: “Approve the request?”. */
const VAGUE = listed("request requests call calls action actions");
/** What is agreed to, paid or bought. “Approve the correction?” is not about one of these. */
const MOVED = listed(
  `${[...VAGUE].join(" ")} invoice invoices payment payments bill bills expense expenses purchase purchases order orders transfer transfers refund refunds reimbursement contract contracts deployment release run deletion funds money`,
);
/** What is deleted. A payment or a rule is none of these: it goes on after a no. */
const DATA = listed(
  "file files record records row rows data report reports account accounts user users table tables database databases branch branches project projects document documents repository repositories folder folders message messages customer customers environment environments ledger",
);
/** What is put to use. Any one word is such a thing: “Deploy checkout”. */
const ANY = new Set<string>();

/** The known acts, by what they are about. Nouns (“payment”) and participles (“paid”) are no acts, nor is a correction or a check. */
const ACTS: [string, Set<string>][] = [
  ["approve authorize authorise accept allow grant pay reimburse buy sign proceed continue decide", MOVED],
  ["release transfer wire order purchase", MOVED],
  ["deploy merge publish", ANY],
  ["delete deletion remove purge drop destroy wipe erase truncate", DATA],
];
const OBJECTS = new Map(ACTS.flatMap(([acts, objects]) => acts.split(" ").map((act) => [act, objects])));
/** Nouns too: “Transfer?” and “Order PO-7 of ACME delivered?” ask about one. They are acts of somebody: “Shall we order …”. */
const NOUNS = listed("release transfer wire order purchase grant");
const SOMEBODY = listed("i we you they to please");
/** Before an act there is somebody between: “Should pay run 7 go out?” asks about a thing. */
const ASKING = listed("shall should may can could do");

export interface Act {
  /** Its object stands in another sentence: “Approve it?”. */
  isAlone: boolean;
  destroys: boolean;
  /** Asks what to do, and not whether. */
  decides: boolean;
}

/** Returns the act that a question or a name asks for; null: none, or an unknown one. */
export function actOf(text: string): Act | null {
  const words = wordsOf(
    text
      .replace(/^(?:what|how) (?:shall|should|do|can) (?:we|i|you) (?:do|decide|proceed|go on)\b/i, "decide")
      .replace(/^(?:this|it|you are|i am|we are) (?=(?:will|would|about to)\b)/i, "")
      .replace(/\bgo (?:on|ahead)(?: and)?\b/i, (found) => (/and$/i.test(found) ? "" : "proceed"))
      .replace(/^approved$/i, "approve"),
  );
  const verb = words.findIndex((word) => !BEFORE.has(word.toLowerCase()));
  const act = words[verb]?.toLowerCase() ?? "";
  const objects = OBJECTS.get(act);
  if (!objects) return null;
  const rest = words.slice(verb + 1);
  if (["proceed", "continue", "decide"].includes(act) && /^(?:with|about)$/i.test(rest[0] ?? ""))
    rest.shift();
  const isBefore = (word: string) =>
    DETERMINERS.has(word.toLowerCase()) ||
    /['’]s?$/.test(word) ||
    (objects === DATA && /^[\d.,]+$/.test(word));
  const skipped = rest.findIndex((word) => !isBefore(word));
  const from = skipped < 0 ? rest.length : skipped;
  const length = objectLength(rest.slice(from), objects);
  const object = rest.slice(from, from + length);
  const next = rest[from + length];
  if (next !== undefined && (length === 0 || !CONNECTORS.has(next.toLowerCase()))) return null;
  const before = words[verb - 1]?.toLowerCase() ?? "";
  if (ASKING.has(before) || (NOUNS.has(act) && from === 0 && !SOMEBODY.has(before))) return null;
  const destroys = objects === DATA || object.some((word) => /^deletion$/i.test(word));
  if (!destroys && destructiveWord(text) !== null) return null;
  return {
    isAlone: object.every((word) => VAGUE.has(word.toLowerCase())),
    destroys,
    decides: act === "decide",
  };
}

/** How many words name the object: a known thing or a number, with the things and numbers behind it. */
function objectLength([first, ...others]: string[], objects: Set<string>): number {
  if (first === undefined) return 0;
  const isNamed = objects === DATA ? FILE.test(first) : FIGURE.test(first);
  if (objects !== ANY && !isNamed && !objects.has(first.toLowerCase())) return 0;
  const behind = others.findIndex((word) => !FIGURE.test(word) && !objects.has(word.toLowerCase()));
  return behind < 0 ? others.length + 1 : behind + 1;
}

const FIGURE = /\p{N}/u;
const FILE = /^[\p{L}\p{N}_/-]+\.\p{L}[\p{L}\p{N}]{1,9}$/u;

/** Whether a word only names a thing that acts are about. */
export function isThing(word: string): boolean {
  const called = word.toLowerCase();
  return DETERMINERS.has(called) || MOVED.has(called) || DATA.has(called);
}

/** The words of a text, with the signs within them: `report.pdf`, `$1,000.00`; a currency belongs to its figure. */
export function wordsOf(text: string): string[] {
  return (
    bareText(text)
      .replace(/\b(\p{Lu}{3}) (?=\d)/gu, "$1")
      .match(/[\p{L}\p{M}\p{N}$€£#](?:[.,_/+'’-]*[\p{L}\p{M}\p{N}%])*['’]?/gu) ?? []
  );
}
