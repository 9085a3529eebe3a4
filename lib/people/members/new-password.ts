/**
 * New passwords: refused if common, breached or easy to guess, then hashed. Judged on the server alone, by lists that
 * come with the installation: nothing of a password goes anywhere. Passwords of before are never judged.
 */
import { AppError } from "../../base/errors.ts";
import { hashPassword } from "./password.ts";

/** Guesses that an attacker with lists of leaked passwords, names and patterns needs: 10^8 (score 3 of zxcvbn). */
const FEWEST_GUESSES = 1e8;
/** Judging takes time by the square of the length. What begins with this much of its own needs no more. */
const JUDGED_CHARACTERS = 64;

/** Letters of one's own in a password that is made with the person's name, address or organization. */
const FEWEST_OWN_LETTERS = 4;

/**
 * `about`: what an attacker knows of the person. `knownAs`: as for `verifyPassword`. Throws `invalid_input` for the field
 * `password`.
 */
export async function hashNewPassword(password: string, about: string[], knownAs?: string): Promise<string> {
  if (await isEasyToGuess(password, about))
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "password", message: EASY_TO_GUESS }],
    });
  return hashPassword(password, knownAs);
}

const EASY_TO_GUESS = "This password is easy to guess: use several words, or let your browser make one";

export async function isEasyToGuess(password: string, about: string[]): Promise<boolean> {
  judge ??= loadJudge().catch((error: unknown) => {
    judge = undefined;
    throw error;
  });
  const known = ["intray", ...about.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])];
  const words = known.filter((word) => word.length > 2).map((word) => word.toLowerCase());
  if (isMadeOf(words, password)) return true;
  const { guesses } = (await judge).check(password.slice(0, JUDGED_CHARACTERS), words);
  return guesses < FEWEST_GUESSES;
}

/** Whether a password is little more than words that are known of the person, figures and signs. */
function isMadeOf(words: string[], password: string): boolean {
  const longestFirst = [...new Set(words)].sort((a, b) => b.length - a.length);
  const whole = password.toLowerCase();
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ""), whole);
  return rest !== whole && rest.replace(/[^\p{L}]/gu, "").length < FEWEST_OWN_LETTERS;
}

let judge: ReturnType<typeof loadJudge> | undefined;

/** Loaded with the first password that is set: the lists take some 120 ms, which no start should wait for. */
async function loadJudge() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
