/** Ends all processes of a group with -9; frozen ones too. Nothing where none is left. */
export function killGroup(id: number): void {
  try {
    process.kill(-id, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
