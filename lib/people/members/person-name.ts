/** Names of people: which one nobody takes for themselves, and when one alone does not say who is meant. Pure. */
import { AppError } from "../../base/errors.ts";
import { readAs } from "../../text/foreign/alike.ts";
import { bareText, hides } from "../../text/foreign/hidden.ts";

/** What surrounds names in the app's own words, as in Rule “Small invoices” and Ana · owner. Within a word a dot is a letter's: Marcel·la. */
const OF_THE_APP = /["“”„‟«»→]|(?<!\p{L})[·•∙⋅‧・:]|[·•∙⋅‧・:](?!\p{L})/u;

/**
 * As the app calls itself, programs, those who stand in, several people, who reads, and nobody, in letters alone: “the rule Small
 * invoices”, “Ana for Ben”, “you”.
 */
const CALLED_BY_THE_APP =
  /^(?:the )?(?:rule|agent|api key|service account|system|engine|policy)\b|\s(?:for|and|as|on behalf of)\s|^(?:nobody|no one|you|intray)$/u;
/** What joins several people. */
const JOINS = /[|｜&+＆＋]/u;

/**
 * For a name that people give themselves. `others`: what everybody else there is called. Throws `invalid_input` for a name
 * that could be the app's own words, or its own name, and `name_taken` for one that reads the same as another's.
 */
export function refuseName(name: string, others: string[] = []): void {
  const own = bareText(name).toLowerCase();
  const refused = (code: "invalid_input" | "name_taken", message: string) =>
    new AppError(code, message, { errors: [{ field: "name", message }] });
  const letters = own.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  if (
    letters === "" ||
    OF_THE_APP.test(own) ||
    JOINS.test(own) ||
    CALLED_BY_THE_APP.test(letters) ||
    hides(name)
  )
    throw refused(
      "invalid_input",
      "Write your own name, without quotation marks, arrows, hidden characters, dots and colons beside words, “&”, “for”, “as” and “and”",
    );
  if (others.some((other) => readAs(other) === readAs(name)))
    throw refused("name_taken", `Somebody here is already called ${name}: add a last name`);
}

/** The people of a list, with the addresses of those alone whose names read the same as another's in it. */
export function tellApart<T extends { name: string; email: string }>(
  people: T[],
): (Omit<T, "email"> & { email?: string })[] {
  const times = new Map<string, number>();
  for (const { name } of people) times.set(readAs(name), (times.get(readAs(name)) ?? 0) + 1);
  return people.map(({ email, ...person }) =>
    times.get(readAs(person.name)) === 1 ? person : { ...person, email },
  );
}
