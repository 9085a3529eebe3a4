/**
 * Reads XML that others wrote. Refuses what SAML has no use for and attacks are made of: document types, entities,
 * processing instructions, CDATA, and comments where text matters.
 */
import { DOMParser } from "@xmldom/xmldom";
import { MOST_LEVELS, MOST_NAMESPACES } from "./tunables.ts";

export const NS = {
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  metadata: "urn:oasis:names:tc:SAML:2.0:metadata",
  signature: "http://www.w3.org/2000/09/xmldsig#",
  encryption: "http://www.w3.org/2001/04/xmlenc#",
} as const;

/** The document is not one that is read; `message` has no text of it. */
export class XmlError extends Error {}

export interface XmlLimits {
  characters: number;
  tags: number;
}

/** `comments`: they may stand in it, and are no part of any text. Throws XmlError. */
export function parseXml(text: string, { characters, tags }: XmlLimits, { comments = false } = {}): Element {
  if (text.length > characters) throw new XmlError("too large");
  const body = text.replace(/^\uFEFF?(<\?xml version="1\.0"[^?<>]{0,80}\?>)?/, "");
  if (comments ? /<!(?!--)/.test(body) : body.includes("<!")) throw new XmlError("a declaration or comment");
  if (body.includes("<?")) throw new XmlError("a processing instruction");
  // The parser copies all namespaces in force for each element, so that these come before it.
  refuseCostly(comments ? withoutComments(body) : body, tags);
  return parse(body);
}

function withoutComments(body: string): string {
  let text = "";
  let at = 0;
  for (let start = body.indexOf("<!--"); start !== -1; start = body.indexOf("<!--", at)) {
    const end = body.indexOf("-->", start + 4);
    if (end === -1) throw new XmlError("not well-formed");
    text += body.slice(at, start);
    at = end + 3;
  }
  return text + body.slice(at);
}

const TAG = /<(\/?)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;

/** Counts tags, levels, and namespaces of one tag, which inner elements inherit. */
function refuseCostly(body: string, mostTags: number): void {
  let [tags, depth] = [0, 0];
  for (const [, end, text = ""] of body.matchAll(TAG)) {
    if (++tags > mostTags) throw new XmlError("too many elements");
    if (end) depth -= 1;
    else if (!text.endsWith("/")) depth += 1;
    if (depth > MOST_LEVELS) throw new XmlError("nested too deeply");
    if (text.split("xmlns", MOST_NAMESPACES + 2).length > MOST_NAMESPACES + 1)
      throw new XmlError("too many namespaces");
  }
  // The parser may find tags where none was counted.
  if (body.split("<", tags + 2).length !== tags + 1) throw new XmlError("not well-formed");
}

function parse(text: string): Element {
  const refuse = () => {
    throw new XmlError("not well-formed");
  };
  const handler = { warning: refuse, error: refuse, fatalError: refuse };
  try {
    const root = new DOMParser({ errorHandler: handler }).parseFromString(text, "text/xml")?.documentElement;
    return root ?? refuse();
  } catch (error) {
    throw error instanceof XmlError ? error : new XmlError("not well-formed");
  }
}

/** The child elements; with a name: those of the namespace that have it. */
export function children(of: Element, namespace?: string, name?: string): Element[] {
  const found: Element[] = [];
  for (let node = of.firstChild; node; node = node.nextSibling)
    if (node.nodeType === 1 && (name === undefined || isNamed(node as Element, namespace ?? "", name)))
      found.push(node as Element);
  return found;
}

/** Every element below, by its name alone, whatever the namespace says. */
export function descendants(of: Element, name: string): Element[] {
  return children(of).flatMap((child) => [
    ...(child.localName === name ? [child] : []),
    ...descendants(child, name),
  ]);
}

/** The one child of that name. Throws XmlError for none and for several. */
export function only(of: Element, namespace: string, name: string): Element {
  const [found, ...more] = children(of, namespace, name);
  if (!found || more.length > 0) throw new XmlError(`not one ${name}`);
  return found;
}

export function isNamed(element: Element, namespace: string, name: string): boolean {
  return element.localName === name && element.namespaceURI === namespace;
}

/** The text of an element that has nothing but text, trimmed. Throws XmlError for anything else. */
export function textOf(element: Element): string {
  for (let node = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType !== 3 && node.nodeType !== 8) throw new XmlError("more than text");
  return [...nodesOf(element)]
    .map((node) => (node.nodeType === 3 ? (node.nodeValue ?? "") : ""))
    .join("")
    .trim();
}

function* nodesOf(element: Element): Generator<Node> {
  for (let node = element.firstChild; node; node = node.nextSibling) yield node;
}

/** The attribute without a namespace; null: there is none. */
export function attribute(element: Element, name: string): string | null {
  return element.hasAttribute(name) ? element.getAttribute(name) : null;
}
