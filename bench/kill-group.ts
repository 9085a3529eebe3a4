/** Kills all processes of a group with -9, including stopped ones. Does nothing for an empty group. */
export function killGroup(id: number): void {
  try {
    process.kill(-id, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
