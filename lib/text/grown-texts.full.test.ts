import { expect, test } from "vitest";
import { actorWords } from "../access/actor-words.ts";
import type { Form } from "../mcp/forms/form.ts";
import { isAlarm } from "../requests/answers/alarms.ts";
import { harmlessOf } from "../requests/answers/plain-no.ts";
import { destructionOf } from "../requests/destruction.ts";
import { documentsOfMessage, idsIn } from "../requests/documents/find.ts";
import { csvLine } from "../tasks/task-export.ts";
import { browserWords, isPhone } from "./browser.ts";
import { readExactNumber } from "./exact-number.ts";
import { readAs } from "./foreign/alike.ts";
import { bareText, hiddenWords, visibleText } from "./foreign/hidden.ts";
import { fitsInRow } from "./foreign/names.ts";
import { namedInQuotes, quoted } from "./foreign/quoted.ts";
import { secretsIn } from "./foreign/secrets.ts";
import { asksForNo, refuses, saysJust } from "./foreign/yes-no.ts";
import { formatsOf } from "./formats/formats.ts";
import { localeOf } from "./formats/locales.ts";
import { humanise } from "./labels.ts";
import { messageTokens, splitMessage } from "./message-tokens.ts";
import { findMoney, isMoneyName, readMoney } from "./money.ts";
import { areAlike, changedFacts } from "./question-changes.ts";
import { slugOf } from "./slug.ts";
import { diffLines } from "./text-diff.ts";

const formats = formatsOf("en-GB", "UTC");

/** Whatever reads a whole text of a server, a browser or a person. */
const READERS: Record<string, (text: string) => unknown> = {
  actorWords: (text) => actorWords({ kind: "agent", id: null, name: text }),
  messageTokens,
  visibleText,
  hiddenWords,
  quoted,
  namedInQuotes,
  bareText,
  readAs,
  asksForNo,
  refuses,
  isAlarm,
  saysJust: (text) => saysJust(text, "approve"),
  splitMessage,
  findMoney,
  readMoney,
  isMoneyName,
  fitsInRow,
  readExactNumber,
  humanise,
  slugOf,
  browserWords,
  isPhone,
  csvLine: (text) => csvLine([text]),
  localeOf: (text) => localeOf(`en ${text}`),
  idsIn,
  secretsIn,
  documentsOfMessage: (text) => documentsOfMessage(`x://${text}`, { servesResources: true }),
  destructionOf: (message) =>
    destructionOf({ destructive: true, tool: "x", message, form: { kind: "supported", fields: [] } }),
  harmlessOf: (text) => {
    const field = { name: "decision", title: text, description: text, required: true, default: null };
    const options = [{ value: text, title: text }];
    return harmlessOf(
      { kind: "supported", fields: [{ ...field, kind: "one_of", options }] } as Form,
      `Delete ${text}`,
    );
  },
  changedFacts: (text) => changedFacts(text, `${text}!`, { vendor: "ACME" }, formats),
  diffLines: (text) => diffLines(text, `${text}\n`),
  areAlike: (text) => areAlike(text, `${text}!`),
};

/** Rows of what patterns begin with or run along, and an end that fits none of them. */
const ROWS = [
  "eyJ-",
  "token=",
  "secret-a",
  "://a:a",
  "basic ",
  "-----BEGIN PRIVATE KEY-----",
  "A-",
  "A-A_",
  "1'",
  "EUR 1",
  "ABC1,",
  "1,",
  "1.",
  "1\u00a0",
  "$",
  "$ ",
  "-",
  "a.",
  "a://",
  ")",
  "#",
  "#1",
  "0",
  "/",
].concat(
  [
    "1 Jan ",
    "Jan",
    "2026-11-23T",
    "AB1",
    "abcdef1",
    "don't ",
    "no ",
    "auto-",
    "please ",
    "not now ",
    " ",
    "\n",
    "\r\n",
    "\u200d",
    "\ufe0f",
  ],
  ["''", "’x’", "1’’", "1,'", "1.'", "1''", "1\u00a0\u00a0", "$1''", "1 000 ", "㌖", "א㌖"],
  [`${" ".repeat(79)}x`, "\n\n\n\n\nx", "yes, ", "א1", "rn"],
  ["👍\u200d", "é\u0301", "Android", "Mobile", "en;q=", ",", "@", "a@a.", "_", "\u202e", "%", "?"],
);
const ENDS = ["", "x", "_", "!"];

const CHARACTERS = 8 * 1024;
/** What is done sooner is too short to be compared: the clock and the compiler make as much. */
const SHORT_MS = 10;

/** Returns the processor's time of this thread, which other processes do not lengthen. */
function costMs(read: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  read(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

test.each(Object.entries(READERS))("%s takes twice as long for twice as much of anything", (_, read) => {
  for (const row of ROWS)
    for (const end of ENDS) {
      const grown = (characters: number) => row.repeat(characters / row.length) + end;
      let times = "";
      let ratio = Number.POSITIVE_INFINITY;
      // A collection or a busy machine lengthens one measurement; what grows by the square is so in each.
      for (let tries = 0; tries < 15 && ratio >= 3; tries++) {
        const long = costMs(read, grown(2 * CHARACTERS));
        if (long <= SHORT_MS) ratio = 1;
        else {
          const short = costMs(read, grown(CHARACTERS));
          times += ` ${short} and ${long} ms`;
          ratio = long / short;
        }
      }
      expect(ratio, `${JSON.stringify(row)} … ${JSON.stringify(end)}:${times}`).toBeLessThan(3);
    }
});
