import { AppError } from "../../base/errors.ts";

/** The refusal of whatever an admin does while they look as a member. */
export function viewOnly(): AppError {
  return new AppError("view_only", "You are looking as a member. This is read only, and shows lists alone.");
}
