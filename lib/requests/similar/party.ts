/** Sums up what was decided before about the party of a request. Pure. */
import { mayBeSameCurrency } from "../../text/money.ts";
import { type Decided, haveSameParties, type KeyFigures } from "./key-figures.ts";
import type { PartySummary } from "./similar-schema.ts";

/** Fewer decisions say nothing of what is usual. */
const FEWEST = 3;
/** From this many amounts on, the lowest and the highest tenth are left out. */
const TRIMMED_FROM = 10;
/** An amount beyond the usual range is mentioned from this multiple of the median on. */
const WORTH_A_WORD = 1.5;

/** `decided`: of the same tool and question, newest first. Null: no party, or too few decisions about it. */
export function judgeParty(
  asked: KeyFigures,
  decided: Decided[],
  { mayBeMore }: { mayBeMore: boolean },
): PartySummary | null {
  const { party, partyKind, amount } = asked;
  if (party === null || partyKind === null) return null;
  const same = decided.filter(
    (each) =>
      each.names[partyKind] === asked.names[partyKind] &&
      haveSameParties(asked, each) &&
      hasSameCurrency(asked, each),
  );
  const [last] = same;
  if (!last || same.length < FEWEST) return null;
  const accepted = same.flatMap((each) => (each.amount && each.isLetThrough ? [each.amount.value] : []));
  const usual = amount && accepted.length >= FEWEST ? rangeOf(accepted) : null;
  const currency = amount?.currency ?? null;
  return {
    name: party,
    kind: partyKind,
    count: same.length,
    mayBeMore,
    usual: usual && { from: { value: usual.from, currency }, to: { value: usual.to, currency } },
    times: amount && usual ? timesOf(amount.value, usual) : null,
    last: last.answer,
  };
}

/** Amounts of a request without one are of no interest; those in another currency can't be compared. */
function hasSameCurrency(asked: KeyFigures, decided: KeyFigures): boolean {
  if (!asked.amount) return true;
  return decided.amount !== null && mayBeSameCurrency(asked.amount.currency, decided.amount.currency);
}

function rangeOf(values: number[]): { from: number; to: number; median: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const cut = sorted.length < TRIMMED_FROM ? 0 : Math.floor(sorted.length / 10);
  const kept = sorted.slice(cut, sorted.length - cut);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
  return { from: kept[0] ?? 0, to: kept.at(-1) ?? 0, median };
}

/** Whole from 2 on, else with one decimal; null: usual, or nothing to compare with. */
function timesOf(value: number, { to, median }: { to: number; median: number }): number | null {
  if (median <= 0 || value <= to) return null;
  const times = value / median;
  if (times < WORTH_A_WORD) return null;
  return times < 2 ? Math.floor(times * 10) / 10 : Math.floor(times);
}
