/** Stands for what may not be read. */
export const MASK = "•••";

/** Masks `vera@example.com` as `v•••@example.com`, so that only its owner recognizes the address. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}

/** The platform's search takes the product of both lengths where a server's handle and text repeat themselves. */
const SHORT_SECRET = 64;

/** The text with a mask in place of the secret. As `replaceAll`; for long secrets by Knuth, Morris and Pratt, in time with the length of the text. */
export function masked(text: string, secret: string): string {
  if (secret.length <= SHORT_SECRET) return text.replaceAll(secret, MASK);
  if (text.length < secret.length) return text;
  // How much of the secret's beginning ends at each of its characters.
  const overlap = new Int32Array(secret.length);
  for (let at = 1, same = 0; at < secret.length; at++) {
    while (same > 0 && secret.charCodeAt(at) !== secret.charCodeAt(same)) same = overlap[same - 1]!;
    if (secret.charCodeAt(at) === secret.charCodeAt(same)) same++;
    overlap[at] = same;
  }
  let shown = "";
  let from = 0;
  for (let at = 0, same = 0; at < text.length; at++) {
    while (same > 0 && text.charCodeAt(at) !== secret.charCodeAt(same)) same = overlap[same - 1]!;
    if (text.charCodeAt(at) === secret.charCodeAt(same)) same++;
    if (same < secret.length) continue;
    shown += text.slice(from, at + 1 - secret.length) + MASK;
    from = at + 1;
    same = 0;
  }
  return from === 0 ? text : shown + text.slice(from);
}
