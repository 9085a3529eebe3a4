/** What the form of an absence means. Pure. */

/** The body of a call, from the form's fields: times are meant where the person is, names stand between commas. */
export function readAway(data: FormData): unknown {
  const scope = {
    servers: names(data.get("servers")),
    tools: names(data.get("tools")),
    rules: names(data.get("rules")),
  };
  return {
    from: moment(data.get("from")),
    until: moment(data.get("until")),
    delegateUserId: data.get("delegateUserId"),
    scope: Object.values(scope).every((each) => each === null) ? null : scope,
    reason: data.get("reason"),
  };
}

function names(typed: FormDataEntryValue | null): string[] | null {
  const given = String(typed ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return given.length === 0 ? null : given;
}

function moment(typed: FormDataEntryValue | null): unknown {
  const at = new Date(String(typed ?? ""));
  return Number.isNaN(at.getTime()) ? typed : at.toISOString();
}

/** A time as a `datetime-local` input shows it where the person is. */
export function wallTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
