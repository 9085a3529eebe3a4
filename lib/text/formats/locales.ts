/** The locales in which dates and numbers can be written. The words on screen are English in all of them. */

import { DEFAULT_LOCALE } from "./formats.ts";

/** The choices of a person, as `locale: name in its own language`. */
export const LOCALES = {
  "en-GB": "English (UK)",
  "en-US": "English (US)",
  "en-AU": "English (Australia)",
  "en-CA": "English (Canada)",
  "en-IN": "English (India)",
  "cs-CZ": "Čeština",
  "da-DK": "Dansk",
  "de-DE": "Deutsch",
  "de-AT": "Deutsch (Österreich)",
  "de-CH": "Deutsch (Schweiz)",
  "es-ES": "Español",
  "es-MX": "Español (México)",
  "fr-FR": "Français",
  "fr-CA": "Français (Canada)",
  "fr-CH": "Français (Suisse)",
  "it-IT": "Italiano",
  "hu-HU": "Magyar",
  "nl-NL": "Nederlands",
  "nb-NO": "Norsk bokmål",
  "pl-PL": "Polski",
  "pt-BR": "Português (Brasil)",
  "pt-PT": "Português (Portugal)",
  "ro-RO": "Română",
  "fi-FI": "Suomi",
  "sv-SE": "Svenska",
  "tr-TR": "Türkçe",
  "el-GR": "Ελληνικά",
  "uk-UA": "Українська",
  "he-IL": "עברית",
  "ar-EG": "العربية",
  "hi-IN": "हिन्दी",
  "ja-JP": "日本語",
  "ko-KR": "한국어",
  "zh-CN": "中文（简体）",
  "zh-TW": "中文（繁體）",
} as const;
export type Locale = keyof typeof LOCALES;

/** Browsers name a few languages; a longer header is not read to its end. */
const MOST_READ = 10;

/**
 * Returns the locale that an `Accept-Language` header asks for first, by weight, among those that this runtime
 * knows. Extensions such as another calendar are left out.
 */
export function localeOf(acceptLanguage: string | null): string {
  const asked = (acceptLanguage ?? "")
    .split(",", MOST_READ)
    .flatMap((part) => {
      const [, tag, weight = "1"] =
        /^([a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?)(?:\s*;\s*q=([\d.]{1,5}))?$/i.exec(part.trim()) ??
        [];
      return tag && Number(weight) > 0 ? [{ tag, weight: Number(weight) }] : [];
    })
    .sort((one, other) => other.weight - one.weight);
  const [known = DEFAULT_LOCALE] = Intl.DateTimeFormat.supportedLocalesOf(asked.map(({ tag }) => tag));
  // The runtime knows fewer locales than there are tags, which keeps the number of cached formats bounded.
  return new Intl.DateTimeFormat(known).resolvedOptions().locale;
}
