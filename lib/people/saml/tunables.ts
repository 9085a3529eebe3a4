/** Timings and sizes of SAML sign-ins. Durations in ms. */

/** How far a provider's clock may be from ours. */
export const CLOCK_SKEW_MS = 2 * 60_000;
/** An assertion is taken for this long after it was made, whatever it says itself. */
export const ASSERTION_AGE_MS = 10 * 60_000;
/** The ids of taken assertions are kept for this long: longer than any of them could be taken again. */
export const ASSERTION_KEPT_MS = 2 * (ASSERTION_AGE_MS + 2 * CLOCK_SKEW_MS);
/** The time that a person has at the provider. */
export const REQUEST_MS = 15 * 60_000;
/** The time between the provider's response and the browser's next request. */
export const TICKET_MS = 2 * 60_000;

/** The longest response, in characters of XML. One with a few hundred groups has 60,000. */
export const RESPONSE_CHARACTERS = 256_000;
/** Processor time after which a response is given up. An ordinary one takes some milliseconds. */
export const RESPONSE_JUDGED_MS = 2_000;
/** The longest metadata document. Those with many certificates and claims have 100,000. */
export const METADATA_CHARACTERS = 512_000;
/**
 * Most tags of a metadata document, and of a response, counted before it is parsed: checking a signature takes time by their
 * square. A response with 300 groups has some 660.
 */
export const METADATA_TAGS = 5_000;
export const RESPONSE_TAGS = 1_500;
/** Most namespaces that one tag may declare. */
export const MOST_NAMESPACES = 20;
/** How deep a document may be nested: its canonical form is made level by level. */
export const MOST_LEVELS = 40;

/** How long a provider may take to hand out its metadata. */
export const METADATA_FETCH_MS = 10_000;
/** Intray's own certificate for a provider. Nobody checks the time; it has to outlast the integration. */
export const OWN_CERTIFICATE_MS = 20 * 365 * 24 * 3600_000;
