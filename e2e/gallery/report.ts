import { nameOf, type Taken } from "./take.ts";

/** The page that shows all pictures: plain and static. */
export function indexPage(all: Taken[]): string {
  const sections = all.map(
    ({
      shot,
      pictures,
      errors,
      failure,
    }) => `<section id="${html(shot)}"><h2>${html(shot)}</h2> <a href="${nameOf({ name: shot })}.txt">as it is read out</a>
${[failure && `Did not come: ${failure}`, ...errors].map((text) => (text ? `<p class="bad">${html(text)}</p>` : "")).join("")}
<div class="row">${pictures
      .map(
        ({
          appearance: look,
          file,
          flaws,
        }) => `<figure><a href="${file}"><img loading="lazy" src="${file}" alt=""></a>
<figcaption>${look}${flaws.map((flaw) => `<br><span class="bad">${html(flaw)}</span>`).join("")}</figcaption></figure>`,
      )
      .join("")}</div></section>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Intray: every page and state</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 24px; color-scheme: light dark }
nav { columns: 5 12em; margin-bottom: 32px }
h2 { margin: 32px 0 8px; font-size: 16px }
.row { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start }
figure { margin: 0; max-width: 480px }
img { height: 300px; max-width: 100%; object-fit: contain; border: 1px solid #8884 }
.bad { color: #d33; overflow-wrap: anywhere }
</style>
<h1>Every page and state</h1>
<nav>${all.map(({ shot }) => `<a href="#${html(shot)}">${html(shot)}</a><br>`).join("")}</nav>
${sections.join("\n")}</html>
`;
}

/** The same findings as text, worst first; empty: nothing to report. */
export function report(all: Taken[]): string {
  const lines = [
    ...all.filter(({ failure }) => failure).map(({ shot, failure }) => `NOT TAKEN  ${shot}: ${failure}`),
    ...all.flatMap(({ shot, errors }) => errors.map((error) => `ERROR  ${shot}: ${error}`)),
    ...all.flatMap(({ shot, pictures }) =>
      pictures.flatMap(({ appearance: look, flaws }) => flaws.map((flaw) => `${shot}, ${look}: ${flaw}`)),
    ),
  ];
  return lines.map((line) => `${line.replaceAll("\n", " ")}\n`).join("");
}

function html(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
