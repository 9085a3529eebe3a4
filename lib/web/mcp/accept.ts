/** What an answer may be: JSON, or the event stream of a held call. */
export const ANSWERS = "application/json, text/event-stream";

/**
 * Whether `Accept` takes both forms of an answer (RFC 9110, 12.5.1): by name in any case, by `*`, or by not being
 * there. The official server package looks for the names alone.
 */
export function takesAnswers(header: string | null): boolean {
  if (header === null || header.trim() === "") return true;
  const weights = new Map(
    header.split(",").map((range) => {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split("=")[1] ?? "1";
      return [name, Number(weight)];
    }),
  );
  // The most specific range decides.
  return ANSWERS.split(", ").every((type) => {
    const kind = type.replace(/\/.*/, "/*");
    return (weights.get(type) ?? weights.get(kind) ?? weights.get("*/*") ?? 0) > 0;
  });
}
