/** Refusals in the words of SCIM (RFC 7644, section 3.12). */

/** The detail keywords that Intray uses, of table 9. */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "invalidVers"
  | "mutability"
  | "noTarget"
  | "uniqueness";

/** A refused call of a directory. `detail` is for the people who run it, and names nothing that they did not send. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | null;
  readonly detail: string;

  constructor(status: number, scimType: ScimType | null, detail: string) {
    super(`${status} ${scimType ?? ""}: ${detail}`);
    this.name = "ScimError";
    this.status = status;
    this.scimType = scimType;
    this.detail = detail;
  }
}

/** Unknown, foreign and deleted resources all get the same answer. */
export function resourceNotFound(): ScimError {
  return new ScimError(404, null, "There is no such resource.");
}
