/**
 * The user that commands run as. As Intray's own user a command could read Intray's secrets, from its files and
 * from /proc/<pid>/environ, so an operator can name another one: INTRAY_COMMAND_USER.
 */

/** A user and a group of the machine, by number. */
export type CommandUser = { uid: number; gid: number };

/**
 * Returns the program and arguments that run a command as `user`, without groups, capabilities or a way to get
 * any: by `setpriv` of util-linux, which then becomes the command, under the same process id. Where Intray may
 * not change users setpriv says so on stderr and runs nothing.
 */
export function asCommandUser(user: CommandUser, command: string, args: string[]): [string, string[]] {
  const identity = ["--reuid", String(user.uid), "--regid", String(user.gid), "--clear-groups"];
  const powers = ["--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"];
  return ["setpriv", [...identity, ...powers, "--", command, ...args]];
}
