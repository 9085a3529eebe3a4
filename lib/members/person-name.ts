/** Names of people: which one nobody takes for themselves, and when one alone does not say who is meant. Pure. */
import { AppError } from "../base/errors.ts";
import { bareText, drawnAs, hides } from "../text/foreign/hidden.ts";

/** What surrounds names in the app's own words, as in Rule “Small invoices” and Ana · owner. Within a word a dot is a letter's: Marcel·la. */
const OF_THE_APP = /["“”„‟«»→]|(?<!\p{L})[·•∙⋅‧・:]|[·•∙⋅‧・:](?!\p{L})/u;

/** As the app calls programs, those who stand in, several people, and nobody: “the rule Small invoices”, “Ana for Ben”. */
const CALLED_BY_THE_APP =
  /^(?:the )?(?:rule|agent|api key|service account)\b|\s(?:for|and)\s|[|｜]|^(?:nobody|no one)$/u;

/**
 * For a name that people give themselves. `others`: what everybody else there is called. Throws `invalid_input` for a name
 * that could be the app's own words, or its own name, and `name_taken` for one that reads the same as another's.
 */
export function refuseName(name: string, others: string[] = []): void {
  const own = bareText(name).toLowerCase();
  const refused = (code: "invalid_input" | "name_taken", message: string) =>
    new AppError(code, message, { errors: [{ field: "name", message }] });
  if (own === "" || own === "intray" || OF_THE_APP.test(own) || CALLED_BY_THE_APP.test(own) || hides(name))
    throw refused(
      "invalid_input",
      "Write your own name, without quotation marks, arrows, hidden characters, dots and colons beside words, “for” and “and”",
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

function readAs(name: string): string {
  return drawnAs(name).toLowerCase();
}
